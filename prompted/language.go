package prompted

import (
	"cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// languages are the names of those that text.Detect tells.
var languages = map[string]string{
	"am": "Amharic", "ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bo": "Tibetan", "ca": "Catalan", "cs": "Czech", "da": "Danish",
	"de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
	"gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
	"it": "Italian", "ja": "Japanese", "ka": "Georgian", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "lo": "Lao", "lt": "Lithuanian",
	"lv": "Latvian", "ml": "Malayalam", "my": "Burmese", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish",
	"pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
	"sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
	"zh": "Chinese",
}

// languageOf names the language to answer in: that of the words that the user chose.
func languageOf(q assay.Query) string {
	name, known := languages[text.Detect(cmp.Or(q.Asked, q.Question))]
	if !known {
		return "the language of the question"
	}
	return name
}
