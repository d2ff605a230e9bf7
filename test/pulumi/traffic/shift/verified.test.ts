import type { Weights } from '../../../../lib/shift/engine';
import { evacuated, groupArn, ruleArn } from './fake-load-balancer';
import { groups, webRule, due, setting } from './shift-setting';

describe('once all rules are as they should be', () => {
  const held: Weights = { [groups('web').blue]: 40, [groups('web').green]: 60 };
  const inUp = { runBy: 'pulumi', inPreview: false } as const;

  test('live weights that differ although nothing is due are refused, with what to run', async () => {
    const { traffic } = setting({ live: held });
    for (const inPreview of [true, false]) {
      const verified = traffic.verify([webRule], { runBy: 'pulumi', inPreview });
      await expect(verified).rejects.toThrow(/live blue 40, green 60, wanted blue 0, green 100/);
      await expect(verified).rejects.toThrow(/pulumi up --refresh/);
    }
  });

  test('they may differ in a preview of an update', async () => {
    const { traffic } = setting({ live: held });
    await traffic.preview(due());
    await traffic.verify([webRule], { runBy: 'pulumi', inPreview: true });
  });

  test('they are the wanted ones after a shift', async () => {
    const { traffic } = setting({ live: held });
    await traffic.beforeUpdate(due());
    await traffic.verify([webRule], inUp);
  });

  test.each(['workflow', 'operator'] as const)(
    'it is only said where a shift is run by the %s',
    async (runBy) => {
      const { traffic, lines } = setting({ live: held });
      await traffic.verify([webRule], { runBy, inPreview: false });
      expect(lines).toEqual([expect.stringMatching(/wanted blue 0, green 100, live: .* blue 40, green 60/)]);
    },
  );

  test('where a slot was evacuated, it says so, with both ways on, and an update writes nothing', async () => {
    const { traffic, balancer } = setting({ live: { [groups('web').blue]: 100, [groups('web').green]: 0 } });
    balancer.record = evacuated(['green']);
    for (const inPreview of [true, false]) {
      const verified = traffic.verify([webRule], { runBy: 'pulumi', inPreview });
      await expect(verified).rejects.toThrow(/slot green was evacuated at 1970-.* by alex@laptop/);
      await expect(verified).rejects.toThrow(/set weight 0 for green in the program/);
      await expect(verified).rejects.toThrow(/evacuate FLEET-green --forget/);
    }
    await expect(traffic.beforeUpdate(due())).rejects.toThrow(/slot green was evacuated/);
    expect(balancer.writes).toEqual([]);
  });

  test('an evacuation is over once the program gives the slot no traffic', async () => {
    const { traffic, balancer } = setting();
    balancer.set(webRule, { [groups('web').blue]: 0, [groups('web').green]: 100 });
    balancer.record = evacuated(['blue']);
    await traffic.verify([webRule], { runBy: 'pulumi', inPreview: true });
    expect(balancer.record).toHaveProperty('evacuated');
    await traffic.verify([webRule], inUp);
    expect(balancer.record).not.toHaveProperty('evacuated');
    expect(balancer.record).toMatchObject({ origin: { blue: 40, green: 60 } });
  });

  test('rules that are not made yet do not hide the others', async () => {
    const { traffic } = setting({ live: held });
    await expect(traffic.verify([webRule, undefined], { runBy: 'pulumi', inPreview: true })).rejects.toThrow(
      /live blue 40/,
    );
  });

  test('but a slot with traffic that the program has no more is refused even then', async () => {
    const { traffic } = setting({ live: { [groups('web').blue]: 40, [groupArn('red')]: 60 } });
    await expect(traffic.verify([webRule], { runBy: 'workflow', inPreview: false })).rejects.toThrow(
      /red 60/,
    );
  });

  test('a target group that is left over without traffic is told of, since AWS would not delete it', async () => {
    const { traffic, balancer, lines } = setting();
    balancer.set(webRule, { [groups('web').blue]: 0, [groups('web').green]: 100, [groupArn('red')]: 0 });
    await traffic.verify([webRule], inUp);
    expect(lines).toEqual([
      expect.stringMatching(/^warn: .*targetgroup\/red.*take it off: pulumi up --refresh/),
    ]);
  });

  test('a rule that is gone is left to the engine', async () => {
    const { traffic } = setting();
    await traffic.verify([ruleArn(9)], inUp);
  });
});
