import { People } from '../../../lib/shift/page';

const signal = (): AbortController => new AbortController();

test('it continues at the place at which it waits, once', async () => {
  const people = new People('Continue on the page');
  expect(people.letContinue(50, 'kim')).toBe(false);
  const waiting = people.resumed(50, signal().signal);
  expect(people.waitsAt).toBe(50);
  expect(people.letContinue(25, 'kim')).toBe(false);
  expect(people.letContinue(50, 'kim')).toBe(true);
  await expect(waiting).resolves.toEqual({ by: 'kim' });
  expect([people.waitsAt, people.letContinue(50, 'kim')]).toEqual([undefined, false]);
});

test('a call that is dropped waits no more; a newer one does', async () => {
  const people = new People('');
  const [first, second] = [signal(), signal()];
  const dropped = people.resumed(50, first.signal);
  const open = people.resumed(75, second.signal);
  first.abort();
  await expect(dropped).resolves.toBe(false);
  expect(people.waitsAt).toBe(75);
  second.abort();
  await expect(open).resolves.toBe(false);
  await expect(people.resumed(75, second.signal)).resolves.toBe(false);
  expect(people.waitsAt).toBeUndefined();
});

test('another way counts as well, and what is wrong with it is known', async () => {
  let said: boolean | { by: string } = false;
  const file = { how: 'touch go', resumed: () => Promise.resolve(said) };
  const people = new People('', file);
  const waiting = people.resumed(10);
  said = { by: 'the file' };
  await expect(waiting).resolves.toEqual({ by: 'the file' });
  const broken = new People('', { how: '', resumed: () => Promise.reject(new Error('no disk')) });
  await expect(broken.resumed(10)).rejects.toThrow('no disk');
});

test('another way that fails is told once for each reason, and keeps no one from agreeing here', async () => {
  let reason = 'GitHub answers 401';
  const people = new People('', { how: '', resumed: () => Promise.reject(new Error(reason)) });
  await expect(people.resumed(50)).rejects.toThrow('GitHub answers 401');
  const waiting = people.resumed(50);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect([people.waitsAt, people.letContinue(50, 'kim')]).toEqual([50, true]);
  await expect(waiting).resolves.toEqual({ by: 'kim' });
  reason = 'GitHub answers 502';
  await expect(people.resumed(50)).rejects.toThrow('GitHub answers 502');
});

test('requests reach the shift while it hears them', () => {
  const people = new People('');
  const heard: string[] = [];
  expect(people.ask({ what: 'hold', by: 'kim' })).toBe(false);
  const end = people.subscribe(({ what, by }) => heard.push(`${what} ${by}`));
  expect(people.ask({ what: 'rollBack', by: 'kim' })).toBe(true);
  end();
  expect(people.ask({ what: 'hold', by: 'kim' })).toBe(false);
  expect(heard).toEqual(['rollBack kim']);
});
