package index

import (
	"context"
	"database/sql"
	"fmt"
)

const (
	// schemaVersion is the version of the tables below, kept in user_version. A
	// change of the tables raises it and adds a step to migrations.
	schemaVersion = 3
	// applicationID marks the file as ours ("ASAY") in application_id.
	applicationID = 0x41534159
)

// schema is the whole of the file. Every list of words derives from documents,
// texts and passages, and can be rebuilt from them (see Rebuild).
const schema = `
CREATE TABLE state (
	id            INTEGER PRIMARY KEY CHECK (id = 1),
	generation    INTEGER NOT NULL, -- rises with every commit of a write
	next_document INTEGER NOT NULL, -- never reused, so that caches by number stay right
	next_passage  INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 0, 1, 1);

CREATE TABLE collections (
	id       INTEGER PRIMARY KEY,
	name     TEXT NOT NULL UNIQUE,
	passages INTEGER NOT NULL DEFAULT 0,
	length   INTEGER NOT NULL DEFAULT 0 -- terms of all passages together
);
CREATE TABLE roots (
	id         INTEGER PRIMARY KEY,
	collection INTEGER NOT NULL,
	path       TEXT NOT NULL,
	name       TEXT NOT NULL,
	UNIQUE (collection, path),
	UNIQUE (collection, name)
);
CREATE TABLE documents (
	id         INTEGER PRIMARY KEY,
	collection INTEGER NOT NULL,
	root       INTEGER NOT NULL,
	name       TEXT NOT NULL,    -- assay.Document.ID
	title      TEXT NOT NULL,
	language   TEXT NOT NULL,
	date       INTEGER,          -- seconds since 1970, NULL where there is none
	date_ns    INTEGER NOT NULL, -- and nanoseconds
	date_from  TEXT NOT NULL,
	version    TEXT NOT NULL,
	meta       TEXT NOT NULL,    -- a JSON object
	stamp      TEXT NOT NULL,
	size       INTEGER NOT NULL, -- bytes of text
	first      INTEGER NOT NULL, -- its passages are first to first+count-1
	count      INTEGER NOT NULL,
	sum        INTEGER           -- CRC-32C of the text, NULL where an earlier version put it
);
CREATE UNIQUE INDEX documents_name ON documents (collection, name);
CREATE INDEX documents_root ON documents (root, name);
CREATE INDEX documents_date ON documents (collection, date, date_ns) WHERE date IS NOT NULL;

CREATE TABLE texts (
	id   INTEGER PRIMARY KEY, -- document << 16 | number of the part
	data BLOB NOT NULL        -- partSize bytes of the text, the last part less
);
CREATE TABLE passages (
	id       INTEGER PRIMARY KEY,
	document INTEGER NOT NULL,
	start    INTEGER NOT NULL, -- bytes into the document's text
	end      INTEGER NOT NULL,
	heading  TEXT NOT NULL,    -- a JSON list
	length   INTEGER NOT NULL, -- terms of the text
	terms    BLOB NOT NULL     -- its terms with their counts, see bag
);
CREATE TABLE fields (
	collection INTEGER NOT NULL,
	key        TEXT NOT NULL,
	value      TEXT NOT NULL,
	document   INTEGER NOT NULL,
	PRIMARY KEY (collection, key, value, document)
) WITHOUT ROWID;
CREATE INDEX fields_document ON fields (document);
CREATE TABLE languages (
	collection INTEGER NOT NULL,
	language   TEXT NOT NULL,
	documents  INTEGER NOT NULL,
	PRIMARY KEY (collection, language)
) WITHOUT ROWID;

CREATE TABLE terms (
	id         INTEGER PRIMARY KEY, -- the token under which words knows it
	collection INTEGER NOT NULL,
	term       TEXT NOT NULL,
	form       TEXT NOT NULL,       -- a word of the documents that has this term
	df         INTEGER NOT NULL     -- passages that contain it
);
CREATE UNIQUE INDEX terms_term ON terms (collection, term);
CREATE TABLE aliases (
	collection INTEGER NOT NULL,
	key        TEXT NOT NULL,    -- folded words
	other_key  TEXT NOT NULL,
	document   INTEGER NOT NULL, -- that says so
	kind       TEXT NOT NULL,    -- 'acronym' or 'name'
	other      TEXT NOT NULL,    -- as the document writes it
	PRIMARY KEY (collection, key, other_key, document)
) WITHOUT ROWID;
CREATE INDEX aliases_document ON aliases (document);
` + vectorsSchema + wordsSchema

// vectorsSchema is what version 2 added. Numbers of passages only rise, and a
// document that changes gets new ones: so one number tells which passages have
// a vector, those up to embedding.embedded, and which are left.
const vectorsSchema = `
CREATE TABLE embedding ( -- one row, or none where nothing was ever embedded
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	model    TEXT NOT NULL,    -- Embedder.Model and the form of the texts
	dim      INTEGER NOT NULL,
	epoch    BLOB NOT NULL,    -- 16 random bytes, drawn when the first vector is made
	embedded INTEGER NOT NULL  -- the highest passage that was embedded
);
CREATE TABLE vectors (
	passage INTEGER PRIMARY KEY,
	data    BLOB NOT NULL -- a scale in 4 bytes and a byte for each dimension
);
CREATE INDEX documents_passages ON documents (collection, first, count);
`

// wordsSchema is the full-text table. It holds numbers of terms, not words, so
// that no letter of any script can be taken apart or folded by the tokenizer,
// and each collection has terms of its own.
const wordsSchema = `
CREATE VIRTUAL TABLE words USING fts5 (terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
`

// migrations[v] brings a file of version v to version v+1.
var migrations = map[int]string{1: vectorsSchema, 2: `ALTER TABLE documents ADD COLUMN sum INTEGER`}

// prepareSchema creates the tables of a new file, brings those of an older one
// up to date, and refuses what it doesn't know.
func (x *Index) prepareSchema(ctx context.Context, s *session) error {
	version, known, err := x.schemaState(ctx, s)
	if err != nil || known && version == schemaVersion {
		return err
	}
	if x.opts.ReadOnly && !known {
		return &Error{Op: "open", Path: x.path, Kind: ErrNotFound, Hint: "the index is empty; add documents first"}
	}
	if x.opts.ReadOnly {
		return &Error{Op: "open", Path: x.path, Kind: ErrVersion,
			Hint: fmt.Sprintf("it has version %d and this program reads %d; open it once for writing to bring it up to date", version, schemaVersion)}
	}
	return s.transaction(ctx, func() error {
		// Another process may have done it since.
		version, known, err := x.schemaState(ctx, s)
		if err != nil || known && version == schemaVersion {
			return err
		}
		if !known {
			if err := s.exec(ctx, schema); err != nil {
				return err
			}
			version = schemaVersion
		}
		for ; version < schemaVersion; version++ {
			if err := s.exec(ctx, migrations[version]); err != nil {
				return fmt.Errorf("bring it from version %d to %d: %w", version, version+1, err)
			}
		}
		return s.exec(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, schemaVersion))
	})
}

// schemaState reads the version of the file. known is false for a file without
// any tables, which is what a new one is.
func (x *Index) schemaState(ctx context.Context, s *session) (version int, known bool, err error) {
	var app, tables int
	err = s.row(ctx, []any{&version, &app, &tables}, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`)
	switch {
	case err != nil:
		return 0, false, err
	case app == 0 && version == 0 && tables == 0:
		return 0, false, nil
	case app != applicationID:
		return 0, false, &Error{Op: "open", Path: x.path, Kind: ErrNotIndex,
			Hint: "it is a database of another program; choose another folder for the index"}
	case version > schemaVersion:
		return 0, false, &Error{Op: "open", Path: x.path, Kind: ErrVersion,
			Hint: fmt.Sprintf("it has version %d, written by a newer assay, and this one knows versions up to %d; use that newer assay, or make a new index in another folder", version, schemaVersion)}
	case version < 1:
		return 0, false, &Error{Op: "open", Path: x.path, Kind: ErrDamaged, Hint: hints[ErrDamaged]}
	}
	return version, true, nil
}

// ensureWords makes the full-text table anew where it is missing, as after a
// repair by hand.
func (x *Index) ensureWords(ctx context.Context, s *session) error {
	var one int
	err := s.row(ctx, []any{&one}, `SELECT 1 FROM words LIMIT 1`)
	if err == nil || err == sql.ErrNoRows {
		return nil
	}
	if x.opts.ReadOnly || kindOf(err) == ErrBusy {
		return err
	}
	x.log.Warn("the word list of the index can't be read and is made anew", "index", x.path, "error", err)
	return s.transaction(ctx, func() error { return remakeWords(ctx, s) })
}
