-- Tables of tables, strings and closures, as games and proxies script them.
local units, byname = {}, {}
for i = 1, 120000 do
	local u = { id = i, name = "unit-" .. i, x = i * 0.5, y = i % 360, tags = { "t" .. i % 50, i % 2 == 0 } }
	if i % 4 == 0 then
		u.act = function(n) u.x = u.x + n end
	end
	units[i], byname[u.name] = u, u
end
collectgarbage()
io.write("READY\n")
io.flush()
io.read("a")
print(#units)
