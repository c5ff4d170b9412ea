# Arrays, lists and dicts, as network tools keep them.
for {set i 0} {$i < 60000} {incr i} {
	set name "host$i.example.org"
	set address($name) "10.[expr {$i / 65536}].[expr {$i / 256 % 256}].[expr {$i % 256}]"
	set ports($name) [list 22 80 [expr {1024 + $i % 5000}]]
	set facts($i) [dict create name $name up [expr {$i * 0.25}] hops [expr {$i % 30}]]
}
puts READY
flush stdout
gets stdin
