package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// pgMessage frames one message of PostgreSQL's protocol 3.0: a type, unless
// it is 0 (the start), a length that counts itself, the body.
func pgMessage(kind byte, body string) []byte {
	var b []byte
	if kind != 0 {
		b = append(b, kind)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(4+len(body)))
	return append(b, body...)
}

// pgReady reads until the server waits for the next query.
func pgReady(in *bufio.Reader) error {
	var failed error
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return cmp.Or(failed, err)
		}
		n := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if n < 0 || n > 1<<24 {
			return fmt.Errorf("postgres: a message of %d bytes", n)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		switch head[0] {
		case 'E':
			failed = fmt.Errorf("postgres: %s", strings.ReplaceAll(string(body), "\x00", " "))
		case 'Z':
			return failed
		}
	}
}

// pgSession logs in without a password and runs queries.
func pgSession(c net.Conn, queries []string) error {
	in := bufio.NewReader(c)
	start := "\x00\x03\x00\x00user\x00truth\x00database\x00postgres\x00\x00"
	if _, err := c.Write(pgMessage(0, start)); err != nil {
		return err
	}
	if err := pgReady(in); err != nil {
		return err
	}
	for _, q := range queries {
		if _, err := c.Write(pgMessage('Q', q+"\x00")); err != nil {
			return err
		}
		if err := pgReady(in); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// postgresLoad makes tables in one session; the one that stays has its
// catalogue caches, relation caches and prepared statements full.
func postgresLoad(ctx context.Context, addr string, keep *connections) error {
	const tables = 400
	create := []string{"drop schema if exists shop cascade", "create schema shop"}
	use := []string{"set search_path = shop"}
	for i := range tables {
		create = append(create,
			fmt.Sprintf("create table shop.t%d (id bigint primary key, name text not null, price numeric, at timestamptz default now(), parent int)", i),
			fmt.Sprintf("insert into shop.t%d select n, 'name ' || n, n * 1.5, now(), n %% 7 from generate_series(1, 50) n", i))
		use = append(use,
			fmt.Sprintf("prepare p%d (bigint) as select t.name, sum(t.price) from t%d t join t%d u on u.id = t.parent where t.id > $1 group by t.name", i, i, (i+1)%tables),
			fmt.Sprintf("execute p%d (%d)", i, i%50))
	}
	err := pgConnect(ctx, addr, create, nil)
	// it listens before it is ready for clients
	for err != nil && strings.Contains(err.Error(), "starting up") && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		err = pgConnect(ctx, addr, create, nil)
	}
	if err != nil {
		return err
	}
	return pgConnect(ctx, addr, use, keep)
}

// pgConnect runs queries on a connection of their own, which stays open where
// keep is given.
func pgConnect(ctx context.Context, addr string, queries []string, keep *connections) error {
	c, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	if keep != nil {
		keep.add(c)
	} else {
		defer c.Close()
	}
	return pgSession(c, queries)
}
