package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
)

// session is one connection with its prepared statements. Only one goroutine
// uses it at a time.
type session struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

// dsn is the name under which SQLite opens the file. The path is escaped: a
// folder may have a question mark or a per cent sign in its name.
func dsn(path string, query ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.Join(query, "&")
}

func newSession(ctx context.Context, db *sql.DB) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// close ends the connection rather than giving it back to the pool: a session
// may have been left in the middle of something.
func (s *session) close() error {
	s.forget()
	s.conn.Raw(func(any) error { return driver.ErrBadConn })
	return s.conn.Close()
}

// forget gives up the prepared statements, as before a change of the schema.
func (s *session) forget() {
	for _, st := range s.stmts {
		st.Close()
	}
	clear(s.stmts)
}

func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := s.stmts[query]; st != nil {
		return st, nil
	}
	st, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.stmts[query] = st
	return st, nil
}

// exec runs statements that are needed once, without keeping them.
func (s *session) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.conn.ExecContext(ctx, query, args...)
	return err
}

// do runs a statement that is kept, and returns how many rows it changed.
func (s *session) do(ctx context.Context, query string, args ...any) (int64, error) {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads the only row of a statement that is kept; sql.ErrNoRows where there
// is none.
func (s *session) row(ctx context.Context, dest []any, query string, args ...any) error {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	return st.QueryRowContext(ctx, args...).Scan(dest...)
}

// rows calls each for every row of a statement that is kept.
func (s *session) rows(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	return scanAll(st.QueryContext(ctx, args...))(each)
}

// rowsOnce is rows for a statement that is not worth keeping.
func (s *session) rowsOnce(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	return scanAll(s.conn.QueryContext(ctx, query, args...))(each)
}

func scanAll(rows *sql.Rows, err error) func(func(scan func(...any) error) error) error {
	return func(each func(scan func(...any) error) error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows.Scan); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// transaction runs f in a transaction that holds the write lock from its start,
// and undoes everything where f or the commit fails.
func (s *session) transaction(ctx context.Context, f func() error) (err error) {
	if err := s.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer s.rollback(&err)
	if err := f(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// From here on a cancelled context changes nothing: a commit is whole.
	return s.exec(context.WithoutCancel(ctx), "COMMIT")
}

// snapshot runs f with all its reads seeing one state of the index.
func (s *session) snapshot(ctx context.Context, f func() error) (err error) {
	if err := s.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer s.rollback(&err)
	if err := f(); err != nil {
		return err
	}
	return s.exec(context.WithoutCancel(ctx), "COMMIT")
}

// rollback undoes the transaction where *err says that it failed, or where it
// was left by a panic. SQLite may have undone it already (on a full disk), so
// its own complaint is of no interest.
func (s *session) rollback(err *error) {
	if r := recover(); r != nil {
		s.exec(context.Background(), "ROLLBACK")
		panic(r)
	}
	if *err != nil {
		s.exec(context.Background(), "ROLLBACK")
	}
}

// broken tells whether the session can't be used again.
func broken(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
}
