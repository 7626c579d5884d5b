package plain

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"
	"syscall"
)

// Words is what an error says, in plain words where its own are a programmer's. What
// stands around them in its text stays; the address that net/http puts in front does
// not, since a key may be in it.
func Words(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	for _, translate := range translators {
		if said, inner := translate(err); inner != nil {
			return strings.Replace(text, inner.Error(), said, 1)
		}
	}
	return text
}

// Error is err in plain words. It wraps err, or is err where that has them already.
func Error(err error) error {
	if said := Words(err); said != err.Error() {
		return As(said, err)
	}
	return err
}

// As is err in the words given. It wraps err.
func As(said string, err error) error { return &worded{said, err} }

type worded struct {
	said string
	err  error
}

func (w *worded) Error() string { return w.said }
func (w *worded) Unwrap() error { return w.err }

// translators find an error that they know in another, and say what it means.
var translators = []func(error) (said string, inner error){known, ofJSON, ofTLS, byText, ofNet}

// known are errors that mean one thing wherever they come from.
func known(err error) (string, error) {
	for _, k := range []struct {
		err  error
		said string
	}{
		{http.ErrSchemeMismatch, "it speaks http and not https"},
		{bufio.ErrTooLong, "one of its lines has no end"},
		{context.DeadlineExceeded, "the time was over"},
		{context.Canceled, "it was called off"},
	} {
		if errors.Is(err, k.err) {
			return k.said, k.err
		}
	}
	return "", nil
}

// ofJSON says what is wrong with JSON that was read or to be written.
func ofJSON(err error) (string, error) {
	var unfit *json.MarshalerError
	var value *json.UnsupportedValueError
	var kind *json.UnsupportedTypeError
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &unfit):
		return "a part of it is no JSON", unfit
	case errors.As(err, &value):
		return "JSON has no way to put " + value.Str, value
	case errors.As(err, &kind):
		return "JSON has no way to put a part of it", kind
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return "the JSON breaks off", syntax
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON, from byte %d on", syntax.Offset), syntax
	case errors.As(err, &other):
		what := "the JSON"
		if other.Field != "" {
			what = fmt.Sprintf("%q", other.Field)
		}
		value, _, _ := strings.Cut(other.Value, " ")
		return fmt.Sprintf("%s is %s, where %s is wanted", what, formOf(value), formOf(wanted(other.Type))), other
	}
	return "", nil
}

// wanted is the JSON that goes into a Go type.
func wanted(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.String, k == reflect.Bool:
		return k.String()
	case k == reflect.Slice || k == reflect.Array:
		return "array"
	case k >= reflect.Int && k <= reflect.Float64:
		return "number"
	}
	return "object"
}

// formOf is a kind of JSON value, with its article.
func formOf(value string) string {
	switch value {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + value
}

// ofTLS says why there is no secure connection.
func ofTLS(err error) (string, error) {
	var unverified *tls.CertificateVerificationError
	var nobodys x509.UnknownAuthorityError
	var others x509.HostnameError
	var invalid x509.CertificateInvalidError
	if !errors.As(err, &unverified) {
		return "", nil
	}
	switch {
	case errors.As(err, &nobodys):
		return "its certificate is signed by nobody that this machine trusts", unverified
	case errors.As(err, &others):
		return "its certificate is for another host", unverified
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired, or is not valid yet", unverified
	}
	return "its certificate can't be trusted", unverified
}

// ofNet says why there is no connection, or no more.
func ofNet(err error) (string, error) {
	var op *net.OpError
	var host *net.DNSError
	if !errors.As(err, &op) {
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return "it broke off before its end", io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return "the connection was closed before anything came", io.EOF
		case errors.Is(err, syscall.ECONNRESET):
			return broke, syscall.ECONNRESET
		}
		return "", nil
	}
	switch {
	case errors.As(err, &host) && host.IsNotFound:
		return fmt.Sprintf("there is no host named %s", host.Name), op
	case errors.As(err, &host):
		return fmt.Sprintf("the name of the host %s can't be looked up", host.Name), op
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: nothing listens there", op
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return broke, op
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way leads to the host", op
	case op.Timeout():
		return "no connection came about in time", op
	}
	var call *os.SyscallError
	if errors.As(op.Err, &call) {
		return call.Err.Error(), op
	}
	return op.Err.Error(), op
}

const broke = "the other side broke the connection"

// byText knows errors that have no type of their own.
func byText(err error) (string, error) {
	for _, t := range texts {
		if t.like.MatchString(err.Error()) {
			return t.said, err
		}
	}
	return "", nil
}

var texts = []struct {
	like *regexp.Regexp
	said string
}{
	{regexp.MustCompile(`malformed HTTP|malformed MIME header`), "what answers there speaks no HTTP"},
	{regexp.MustCompile(`chunk(?:ed encoding| length)|gzip: |flate: `), "what came is garbled"},
	{regexp.MustCompile(`http2: |stream error: |server closed idle connection`), broke},
	{regexp.MustCompile(`\btls: `), "no secure connection came about"},
}
