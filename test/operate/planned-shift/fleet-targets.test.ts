import { checkTargets } from '../../../lib/operate/planned-shift/fleet-targets';
import type { ReadTags } from '../../../lib/operate/planned-shift/fleet-targets';
import { fleetTag, slotTag } from '../../../lib/core/names';
import { parsePlan } from '../../../lib/shift/plan-file';

const group = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/${name}/1111111111111111`;
const rule = (id: string): string =>
  `arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/3333333333333333/4444444444444444/${id}`;
const route = (id: string, fleet: string) => ({
  router: { albRule: { ruleArn: rule(id), region: 'eu-west-1' } },
  slots: {
    blue: { targetGroupArn: group(`${fleet}-blue`) },
    green: { targetGroupArn: group(`${fleet}-green`) },
  },
});
const ends = { weights: { green: 100 }, shift: { step: [50], every: '1m' } };
const one = parsePlan(JSON.stringify({ ...route('5555555555555555', 'web'), ...ends }), 'plan.json');
const two = parsePlan(
  JSON.stringify({
    routes: { apps: route('5555555555555555', 'apps'), web: route('6666666666666666', 'web') },
    ...ends,
  }),
  'plan.json',
);
const signal = new AbortController().signal;

/** Target groups whose names say what their tags do. */
const tagged: ReadTags = (_, arns) =>
  Promise.resolve(
    new Map(
      arns.map((arn) => {
        const [, fleet, slot] = /targetgroup\/(\w+)-(\w+)\//.exec(arn)!;
        return [arn, { [fleetTag]: fleet!, [slotTag]: slot! }];
      }),
    ),
  );

test('the plan of another fleet is refused, with each of its target groups', async () => {
  await expect(checkTargets(one, 'web', signal, tagged)).resolves.toBeUndefined();
  await expect(checkTargets(one, 'apps', signal, tagged)).rejects.toThrow(
    /slots\.blue\.targetGroupArn: .*must be a target group of slot blue of fleet apps: its tags say slot blue of fleet web[^]*slots\.green\.targetGroupArn: /,
  );
});

test('of several routes, those of another fleet are named', async () => {
  const refused = checkTargets(two, 'apps', signal, tagged);
  await expect(refused).rejects.toThrow(/routes\.web\.slots\.blue\.targetGroupArn: /);
  await expect(refused).rejects.not.toThrow(/routes\.apps/);
});

test('slots that have each other’s target groups are refused', async () => {
  const swapped: ReadTags = async (subject, arns, given) => {
    const tags = await tagged(subject, arns, given);
    return new Map(arns.map((arn, at) => [arn, tags.get(arns[1 - at]!)!]));
  };
  await expect(checkTargets(one, 'web', signal, swapped)).rejects.toThrow(
    /slots\.blue\.targetGroupArn: .*its tags say slot green of fleet web/,
  );
});

test('target groups without such tags may be anybody’s', async () => {
  const untagged: ReadTags = (_, arns) => Promise.resolve(new Map(arns.map((arn) => [arn, { team: 'a' }])));
  await expect(checkTargets(one, 'apps', signal, untagged)).resolves.toBeUndefined();
  await expect(checkTargets(one, 'apps', signal, () => Promise.resolve(new Map()))).resolves.toBeUndefined();
});
