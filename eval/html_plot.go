package eval

import "strconv"

// plot is a chart whose axes go from 0 to 1. The template draws it as SVG, with each
// text under the pointer in a <title>.
type plot struct {
	Title  string
	Note   string // below it: how to read it
	X, Y   string // what the axes show
	XTicks []tick // nil: fifths
	Bars   []bar
	Lines  []curve
	Marks  []mark
	Zones  []zone
}

// curve is a line through points.
type curve struct {
	Name   string
	Style  string // a class of the page: colour and dashes
	Points []point
}

// point is a place on a curve. Text, where given, shows under the pointer.
type point struct {
	X, Y float64
	Text string
}

// Few tells that the points are so few that each is drawn. One alone is no line.
func (c curve) Few() bool { return len(c.Points) <= reliabilityBins+1 }

// bar stands on the horizontal axis. Label is written above it.
type bar struct {
	From, To, Height float64
	Label, Text      string
}

// mark is an upright line with its name.
type mark struct {
	At   float64
	Name string
}

// zone is an upright strip whose text shows under the pointer.
type zone struct {
	From, To float64
	Text     string
}

// tick is a place on an axis.
type tick struct {
	At    float64
	Label string
}

// The size of a plot, in units of its viewBox. Between the margins lie the axes.
const (
	plotWidth, plotHeight = 400, 300
	marginLeft, marginTop = 52, 22
	axisWidth, axisHeight = 332, 228
	narrowest             = 2.0 / axisWidth
)

// across and down place a share on the axes.
func across(share float64) string { return coordinate(marginLeft + share*axisWidth) }

func down(share float64) string { return coordinate(marginTop + (1-share)*axisHeight) }

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// fifths are the usual ticks.
func fifths() []tick {
	var out []tick
	for i := range 6 {
		at := float64(i) / 5
		out = append(out, tick{at, strconv.FormatFloat(at, 'f', 1, 64)})
	}
	return out
}

// AcrossTicks are those of the horizontal axis.
func (p plot) AcrossTicks() []tick {
	if p.XTicks != nil {
		return p.XTicks
	}
	return fifths()
}

// UpTicks are those of the vertical axis.
func (p plot) UpTicks() []tick { return fifths() }

// Path is the curve as the points of a polyline.
func (c curve) Path() string {
	var path []byte
	for i, p := range c.Points {
		if i > 0 {
			path = append(path, ' ')
		}
		path = append(path, across(p.X)+","+down(p.Y)...)
	}
	return string(path)
}

// Width is that of the bar in the drawing: one of a single score is a thin line.
func (b bar) Width() string { return coordinate(max(b.To-b.From, narrowest) * axisWidth) }

// Tall is the height of the bar in the drawing.
func (b bar) Tall() string { return coordinate(b.Height * axisHeight) }

// Middle is where the label of the bar stands.
func (b bar) Middle() string { return across((b.From + b.To) / 2) }

// Width is that of the zone in the drawing.
func (z zone) Width() string { return coordinate((z.To - z.From) * axisWidth) }
