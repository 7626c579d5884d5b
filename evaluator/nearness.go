package evaluator

import "slices"

// window returns the most weight within windowTokens tokens.
func (m *measurer) window(hits []hit) float64 {
	clear(m.own)
	most, sum, lo := 0.0, 0.0, 0
	clear(m.counts)
	for _, h := range hits {
		for hits[lo].token <= h.token-windowTokens {
			old := hits[lo].term
			m.counts[old]--
			if m.counts[old] == 0 {
				sum -= m.q.terms[old].share * m.own[old]
			}
			lo++
		}
		if m.counts[h.term] == 0 {
			m.own[h.term] = float64(h.strength)
			sum += m.q.terms[h.term].share * m.own[h.term]
		}
		m.counts[h.term]++
		most = max(most, sum)
	}
	return most
}

// reachTokens is how far apart words may stand that belong together, in tokens: a
// judgement that the models were fitted with.
const reachTokens = 4

// names returns how much of the worst found name of the question stands
// together in the text or in its title; 1 where there is no name.
func (m *measurer) names(hits []hit) float64 {
	worst := 1.0
	for _, name := range m.q.names {
		total, title := 0.0, 0.0
		for _, j := range name {
			total += m.q.terms[j].weight
			title += m.q.terms[j].weight * m.title[j]
		}
		found := title
		for i, h := range hits {
			if !slices.Contains(name, int(h.term)) {
				continue
			}
			here := 0.0
			for _, j := range name {
				strength := 0.0
				for k := i; k < len(hits) && hits[k].token <= h.token+reachTokens; k++ {
					if int(hits[k].term) == j {
						strength = max(strength, float64(hits[k].strength))
					}
				}
				here += m.q.terms[j].weight * strength
			}
			found = max(found, here)
		}
		worst = min(worst, found/total)
	}
	return worst
}

// pairs returns the share, by weight, of the question's neighbours that stand
// within a few tokens of each other here, more where the order is kept.
func (m *measurer) pairs(hits []hit) float64 {
	found, total := 0.0, 0.0
	for _, p := range m.q.pairs {
		weight := m.q.terms[p[0]].share + m.q.terms[p[1]].share
		total += weight
		closest := 0.0
		for i, h := range hits {
			if int(h.term) != p[0] {
				continue
			}
			for k := i - 1; k >= 0 && hits[k].token >= h.token-reachTokens; k-- {
				if int(hits[k].term) == p[1] {
					closest = max(closest, 0.6*float64(h.strength*hits[k].strength))
				}
			}
			for k := i + 1; k < len(hits) && hits[k].token <= h.token+reachTokens; k++ {
				if int(hits[k].term) == p[1] {
					distance := float64(hits[k].token - h.token)
					closest = max(closest, (1-0.1*(distance-1))*float64(h.strength*hits[k].strength))
				}
			}
		}
		found += weight * closest
	}
	if total == 0 {
		return 0
	}
	return found / total
}

// bm25 is Okapi BM25 (Robertson and Zaragoza 2009, §3.5) over its limit for many
// occurrences. It leaves the counts of occurrences in m.counts.
func (m *measurer) bm25(hits []hit, length int) float64 {
	clear(m.counts)
	for _, h := range hits {
		m.counts[h.term] += float64(h.strength)
	}
	norm := bm25K1 * (1 - bm25B + bm25B*float64(length)/meanLength)
	score := 0.0
	for j, t := range m.q.terms {
		score += t.share * m.counts[j] / (m.counts[j] + norm)
	}
	return score
}
