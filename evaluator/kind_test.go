package evaluator

import "testing"

func TestKindOf(t *testing.T) {
	for question, want := range map[string]kind{
		"How many days of parental leave do I get?":             kindNumber,
		"hi, how many days of leave do I get?":                  kindNumber,
		"How long is the notice period?":                        kindNumber,
		"What is the maximum upload size?":                      kindNumber,
		"How much does the Team plan cost":                      kindNumber,
		"How do I reset my password?":                           kindHowTo,
		"how to configure single sign-on":                       kindHowTo,
		"What is the procedure for claiming expenses?":          kindHowTo,
		"What should I do if I lose my badge?":                  kindHowTo,
		"Could you please tell me how I can export data?":       kindHowTo,
		"What is a strip?":                                      kindDefinition,
		"What's SSO?":                                           kindDefinition,
		"what does PTO stand for":                               kindDefinition,
		"What does idempotent mean?":                            kindDefinition,
		"What is the capital of France?":                        kindOther,
		"When does the office close?":                           kindDate,
		"When I leave the company, how many days are paid out?": kindNumber,
		"In what year was the company founded?":                 kindDate,
		"What is the deadline for claims?":                      kindDate,
		"Can contractors use the gym?":                          kindYesNo,
		"Do you know whether contractors can use the gym?":      kindYesNo,
		"If I am ill on holiday, do I get the days back?":       kindYesNo,
		"Is MFA required?":                                      kindYesNo,
		"Who approves travel?":                                  kindWho,
		"Do you know who approves travel?":                      kindWho,
		"To whom do I send invoices?":                           kindWho,
		"Where do I find the VPN profile?":                      kindWhere,
		"Which city hosts the head office?":                     kindWhere,
		"Why was my claim refused?":                             kindWhy,
		"how come it is slow?":                                  kindWhy,
		"What are the supported formats?":                       kindList,
		"List all holidays":                                     kindList,
		"Which documents do I need?":                            kindList,
		"parental leave":                                        kindOther,
		"I lost my badge yesterday. Who do I call?":             kindWho,
		"Wie viele Urlaubstage habe ich?":                       kindNumber,
		"Wie setze ich mein Passwort zurück?":                   kindHowTo,
		"Was ist Elternzeit?":                                   kindDefinition,
		"Was it expensive?":                                     kindYesNo,
		"Wann schließt das Büro?":                               kindDate,
		"Darf ich von zu Hause arbeiten?":                       kindYesNo,
		"Combien de jours de congé ai-je ?":                     kindNumber,
		"Où se trouve le bureau ?":                              kindWhere,
		"Qui approuve les voyages ?":                            kindWho,
		"¿Cómo puedo restablecer mi contraseña?":                kindHowTo,
		"¿Cuántos días de vacaciones tengo?":                    kindNumber,
		"育児休暇は何日ありますか？":                                         kindOther,
		"":                                 kindOther,
		"???":                              kindOther,
		"Which year did Assay 2 come out?": kindDate,
		"For the Berlin office, who holds the keys?":                    kindWho,
		"I would like to know when the next release will be available.": kindDate,
	} {
		if got := kindOf(question); got != want {
			t.Errorf("kindOf(%q) = %q, want %q", question, got, want)
		}
	}
}

func FuzzKindOf(f *testing.F) {
	for _, s := range []string{"How many?", "what is", "what does x y z mean", "où?", "\xff\xfe", "If if if, is", "what's"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k := kindOf(s)
		if k == "" {
			t.Errorf("kindOf(%q) is empty", s)
		}
		if again := kindOf(s); again != k {
			t.Errorf("kindOf(%q) = %q, then %q", s, k, again)
		}
	})
}
