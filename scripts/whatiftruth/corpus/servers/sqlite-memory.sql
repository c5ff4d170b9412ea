-- A database in memory in SQLite's own shell: a table, two indexes, full rows.
create table visit (id integer primary key, url text, agent text, bytes integer, took real);
insert into visit
with recursive n(i) as (select 0 union all select i + 1 from n where i < 199999)
select i, '/page/' || (i % 7919) || '/' || i, 'agent ' || (i % 37), i * 13 % 100000, i / 11.0 from n;
create index by_url on visit (url);
create index by_agent on visit (agent, bytes);
select count(*) from visit where took > 5;
.print READY
