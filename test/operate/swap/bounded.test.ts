import { bounded } from '../../../lib/operate/swap/bounded';

const bounds = { timeoutMs: 60_000, endsWithinMs: 60_000 };

test('what a call answers, or throws', async () => {
  const { signal } = new AbortController();
  await expect(bounded(bounds, signal, () => Promise.resolve(1))).resolves.toBe(1);
  await expect(bounded(bounds, undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('one that takes too long is told to end, and waited for', async () => {
  let ended = false;
  const call = bounded({ ...bounds, timeoutMs: 20 }, undefined, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
    throw new Error('cleaned up');
  });
  await expect(call).rejects.toThrow('no answer within 0.02 s');
  expect(ended).toBe(true);
});

test('one that does not end then is not waited for', async () => {
  const hangs = (): Promise<never> => new Promise(() => undefined);
  const call = bounded({ timeoutMs: 10, endsWithinMs: 10 }, undefined, hangs);
  await expect(call).rejects.toThrow('no answer within 0.01 s');
});

test('one that answers after it was told to end has answered', async () => {
  const call = bounded({ ...bounds, timeoutMs: 10 }, undefined, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'deployed';
  });
  await expect(call).resolves.toBe('deployed');
});

test('an interrupt reaches it with its reason, and keeps one that has not begun from its begin', async () => {
  const interrupt = new AbortController();
  const call = bounded(bounds, interrupt.signal, (signal) => {
    interrupt.abort(new Error('interrupted'));
    return Promise.reject(signal.aborted ? new Error('ended') : new Error('it was not told'));
  });
  await expect(call).rejects.toThrow('interrupted');
  const begun = jest.fn(() => Promise.resolve());
  await expect(bounded(bounds, interrupt.signal, begun)).rejects.toThrow('interrupted');
  expect(begun).not.toHaveBeenCalled();
});
