import { ProgramUnreachable } from '../../../../../lib/operate/swap/program';
import { patiently } from '../../../../../lib/operate/swap/programs/git/patience';

const away = new ProgramUnreachable('it is away', true);
const refused = new ProgramUnreachable('it refuses', false);

/** Asks with a clock that each pause puts forward by ten seconds. */
async function ask(
  answers: readonly (Error | string)[],
  limits: object = {},
  signal = new AbortController().signal,
) {
  const said: string[] = [];
  let now = 0;
  let asked = 0;
  const settings = {
    ...{ say: (line: string) => void said.push(line), now: () => now },
    pause: () => {
      now += 10_000;
      return Promise.resolve();
    },
    ...limits,
  };
  const end = await patiently(settings, signal, () => {
    const answer = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }).catch((error: Error) => error.message);
  return { end, asked, said };
}

test.each<[string, readonly (Error | string)[], object, object]>([
  ['an answer is taken', ['yes'], {}, { end: 'yes', asked: 1, said: [] }],
  [
    'a server that is away is waited for, and it is said once',
    [...Array<Error>(500).fill(away), 'yes'],
    {},
    { end: 'yes', asked: 501, said: ['it is away; asks again'] },
  ],
  ['until patience is over', [away], { away: 30_000 }, { end: 'it is away', asked: 4 }],
  ['a token that is refused has a minute to be renewed', [refused], {}, { end: 'it refuses', asked: 7 }],
  ['or no time at all', [refused], { refused: 0 }, { end: 'it refuses', asked: 1, said: [] }],
  [
    'each reason is said',
    [away, refused, away, 'yes'],
    {},
    { end: 'yes', said: ['it is away; asks again', 'it refuses; asks again', 'it is away; asks again'] },
  ],
  ['what is no question of reaching it ends at once', [new Error('wrong')], {}, { end: 'wrong', asked: 1 }],
])('%s', async (_name, answers, limits, expected) => {
  await expect(ask(answers, limits)).resolves.toMatchObject(expected);
});

test('an abort ends it, with its own reason', async () => {
  const stop = new AbortController();
  const pause = (): Promise<void> => {
    stop.abort(new Error('enough'));
    return Promise.resolve();
  };
  await expect(ask([away], { pause }, stop.signal)).resolves.toMatchObject({ end: 'enough', asked: 2 });
});
