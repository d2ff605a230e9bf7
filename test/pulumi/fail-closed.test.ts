import * as fc from 'fast-check';
import { errorWithText, failClosed, HookError } from '../../lib/pulumi/hooks';

/** What the engine is told: Pulumi's SDK answers with the `message` of whatever was thrown; without a text all is well. */
const told = async (hook: () => Promise<void>): Promise<unknown> => {
  try {
    await hook();
  } catch (error) {
    return (error as { message?: unknown }).message;
  }
  return undefined;
};

test.each<[string, unknown, RegExp]>([
  ['a string', 'no way', /^no way$/],
  ['an empty string', '', /^the hook failed, and nothing says why/],
  ['an empty object', {}, /^the hook failed/],
  ['nothing', undefined, /^the hook failed/],
  ['null', null, /^the hook failed/],
  ['a number', 7, /^7$/],
  ['an error', new Error('no way'), /^no way$/],
  ['an error without a text', new Error(), /^the hook failed/],
  ['an error whose text is blank', new Error(' \n '), /^the hook failed/],
  ['an error of a kind, without a text', new RangeError(''), /^RangeError$/],
  ['an AggregateError without a text', new AggregateError([new Error('a'), 'b', new Error()]), /^a; b$/],
  ['an AggregateError of nothing', new AggregateError([]), /^AggregateError$/],
  ['a message that is no text', { message: 7 }, /^the hook failed/],
])('what throws %s is refused with a text', async (_what, thrown, text) => {
  const hook = failClosed('the hook', () => {
    throw thrown;
  });
  expect(await told(() => hook(undefined))).toMatch(text);
});

test('whatever is thrown, the engine is told a text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything({ withNullPrototype: true, withDate: true }), async (thrown) => {
      const message = await told(() =>
        failClosed('the hook', () => Promise.reject(thrown as Error))(undefined),
      );
      expect(typeof message === 'string' && message.trim() !== '').toBe(true);
    }),
  );
});

test('a refusal is thrown on as it is, and success stays success', async () => {
  const refusal = new HookError('no way');
  expect(errorWithText(refusal, 'the hook')).toBe(refusal);
  expect(await told(() => failClosed('the hook', () => Promise.resolve())(undefined))).toBeUndefined();
});
