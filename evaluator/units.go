package evaluator

import "strings"

// units names each known unit of measure by its English singular.
var units = spread(map[string]string{
	"millisecond": "milliseconds ms",
	"second":      "seconds sec secs sekunde sekunden seconde secondes segundo segundos",
	"minute":      "minutes min mins minuten minuto minutos",
	"hour":        "hours hr hrs stunde stunden heure heures hora horas",
	"day":         "days tag tage tagen jour jours día días dia dias werktage werktagen arbeitstage arbeitstagen",
	"week":        "weeks wk wks woche wochen semaine semaines semana semanas",
	"fortnight":   "fortnights",
	"month":       "months monat monate monaten mois mes meses",
	"quarter":     "quarters quartal quartale",
	"year":        "years yr yrs jahr jahre jahren an ans année années año años",
	"decade":      "decades jahrzehnt jahrzehnte",
	"century":     "centuries",
	"percent":     "pct prozent",
	"time":        "times mal fois veces",
	"byte":        "bytes",
	"kilobyte":    "kilobytes",
	"megabyte":    "megabytes",
	"gigabyte":    "gigabytes",
	"terabyte":    "terabytes",
	"km":          "kilometer kilometers kilometre kilometres",
	"metre":       "meter meters metres",
	"cm":          "centimeter centimeters centimetre centimetres",
	"mm":          "millimeter millimeters millimetre millimetres",
	"mile":        "miles",
	"foot":        "feet ft",
	"inch":        "inches",
	"yard":        "yards",
	"kg":          "kilogram kilograms kilo kilos",
	"gram":        "grams",
	"tonne":       "tonnes ton tons",
	"pound":       "pounds lb lbs",
	"litre":       "liter liters litres",
	"acre":        "acres",
	"hectare":     "hectares ha",
	"kwh":         "kilowatt-hours",
	"watt":        "watts",
	"kw":          "kilowatts",
	"mph":         "",
	"degree":      "degrees",
})

// sizeUnits are written in capitals, which tell "MB" from the start of a word.
var sizeUnits = map[string]string{
	"B": "byte", "KB": "kilobyte", "kB": "kilobyte", "KiB": "kib", "MB": "megabyte", "MiB": "mib", "GB": "gigabyte",
	"GiB": "gib", "TB": "terabyte", "TiB": "tib", "Mbps": "mbps", "Gbps": "gbps", "Hz": "hz", "kHz": "khz",
	"MHz": "mhz", "GHz": "ghz", "W": "watt", "kW": "kw", "MW": "mw", "V": "volt", "A": "ampere", "L": "litre",
	"km": "km", "m": "metre", "cm": "cm", "mm": "mm", "kg": "kg", "g": "gram", "s": "second", "h": "hour",
}

// unitAdjectives may stand between a number and its unit.
var unitAdjectives = set("business working calendar consecutive full paid unpaid additional extra more further whole " +
	"successive continuous square cubic nautical school school's trading bank weekly metric")

// secondsIn and monthsIn make durations comparable. The two families don't
// convert: a month has no fixed number of days.
var secondsIn = map[string]float64{
	"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400, "fortnight": 14 * 86400,
}

var monthsIn = map[string]float64{"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}

// currencies are codes and names that stand before or after an amount;
// "pounds" is left to the weight.
var currencies = spread(map[string]string{
	"eur": "euro euros", "usd": "dollar dollars us", "gbp": "quid sterling", "chf": "franken francs", "jpy": "yen",
	"inr": "rupee rupees", "cny": "rmb yuan", "sek": "", "nok": "", "dkk": "", "pln": "zloty", "czk": "", "aud": "",
	"cad": "", "nzd": "", "brl": "", "mxn": "peso pesos", "krw": "won",
})

var currencySigns = map[string]string{"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw"}

// spread turns name → spellings into spelling → name; the name spells itself.
func spread(m map[string]string) map[string]string {
	out := make(map[string]string)
	for name, spellings := range m {
		out[name] = name
		for _, s := range strings.Fields(spellings) {
			out[s] = name
		}
	}
	return out
}

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// singular takes the plural ending off an English noun, folded. It is only to
// compare units, so a wrong singular does no harm as long as it is the same for
// both.
func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case w == "people":
		return "person"
	case w == "children":
		return "child"
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// functionWord tells whether the folded English word is grammar, and no noun
// that a number could count.
func functionWord(w string) bool { return functionWords[w] }

var functionWords = set("a an and are as at be been but by can cannot could did do does for from had has have he her his if in into is it its may " +
	"might must nor not of off on or our per shall she should so than that the their them then there these they this those " +
	"to under until up upon was we were when where which while who will with within would you your after before over during " +
	"since between about only more less least most all each every both also")
