// The usual corrective loop in LangGraph JS: retrieve four pages, grade each, generate, ask whether the answer is
// grounded, ask whether it is useful; 7 calls of the model. It prints what it measured as JSON.
//
//   node loop.mjs GRADING PAGE BASE_URL QUESTIONS IN_FLIGHT
//
// GRADING is "in parallel" or "serially". PAGE is the text of a page, with NUMBER and DOC in the place of numbers: both
// sides read the same.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const [, , grading, page, baseURL, questions, inFlight] = process.argv;
const model = new ChatOpenAI({ model: 'fake', apiKey: 'none', temperature: 0, maxRetries: 0, configuration: { baseURL } });

async function complete(...lines) {
  const reply = await model.invoke(lines.join('\n'));
  return reply.content;
}

async function saysYes(...lines) {
  return /\byes\b/i.test(await complete(...lines));
}

const State = Annotation.Root({
  question: Annotation(),
  order: Annotation(),
  pages: Annotation(),
  answer: Annotation(),
  good: Annotation(),
  drafts: Annotation(),
});

const retrieve = ({ order }) => ({
  pages: [0, 1, 2, 3].map((i) => page.replaceAll('NUMBER', order).replaceAll('DOC', i)),
  drafts: 0,
});

async function grade({ question, pages }) {
  const relevant = (p) => saysYes('Is this page relevant to the question? Say yes or no.', `Question: ${question}`, p);
  const verdicts = [];
  if (grading === 'in parallel') verdicts.push(...(await Promise.all(pages.map(relevant))));
  else for (const p of pages) verdicts.push(await relevant(p));
  return { pages: pages.filter((_, i) => verdicts[i]) };
}

async function generate({ question, pages, drafts }) {
  return { answer: await complete('Answer from these pages.', ...pages, `Question: ${question}`), drafts: drafts + 1 };
}

async function check({ question, pages, answer }) {
  const grounded = await saysYes('Is all of the answer grounded in these pages? Say yes or no.', ...pages, `Answer: ${answer}`);
  const useful = await saysYes('Is the answer useful for the question? Say yes or no.', `Question: ${question}`, `Answer: ${answer}`);
  return { good: grounded && useful };
}

const loop = new StateGraph(State)
  .addNode('retrieve', retrieve)
  .addNode('grade', grade)
  .addNode('search', ({ pages }) => ({ pages: [...pages, 'Nothing was found on the web.'] }))
  .addNode('generate', generate)
  .addNode('check', check)
  .addEdge(START, 'retrieve')
  .addEdge('retrieve', 'grade')
  .addConditionalEdges('grade', ({ pages }) => (pages.length > 0 ? 'generate' : 'search'))
  .addEdge('search', 'generate')
  .addEdge('generate', 'check')
  .addConditionalEdges('check', ({ good, drafts }) => (good || drafts > 2 ? END : 'generate'))
  .compile();

async function ask(order) {
  const { answer } = await loop.invoke({ order, question: `Are refunds for order ${order} accepted within 30 days of delivery?` });
  if (!answer) throw new Error(`order ${order}: no answer`);
}

const residentMB = () => process.memoryUsage().rss / 1e6;
const count = Number(questions);
const took = [];
let asked = 0;
let early = 0;

async function worker() {
  while (asked < count) {
    const order = ++asked;
    const start = performance.now();
    await ask(order);
    took.push(performance.now() - start);
    if (took.length === Math.max(1, Math.floor(count / 10))) early = residentMB();
  }
}

await ask(0); // warm
const start = performance.now();
const cpu = process.cpuUsage();
await Promise.all(Array.from({ length: Number(inFlight) }, worker));
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
took.sort((a, b) => a - b);
console.log(JSON.stringify({
  questions: count,
  seconds,
  p50_ms: took[Math.floor(count / 2)],
  p99_ms: took[Math.floor((count * 99) / 100)],
  cpu_ms: (user + system) / 1000 / count,
  early_mb: early,
  end_mb: residentMB(),
}));
