import type { AwsClients } from '../../../../lib/core/aws/clients';
import * as kinds from '../../../../lib/pulumi/traffic/shift/kinds';
import { routeOf, slotOf } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { SplitKind } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { isOfAws, routeProblems, routerFacts, routerNames } from '../../../../lib/shift/routers';

const elb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
const groups = { blue: `${elb}:targetgroup/b/1a`, green: `${elb}:targetgroup/g/2b` };
const identifiers = { blue: 'apps-blue', green: 'apps-green' };
const roleArn = 'arn:aws:iam::123456789012:role/shift';

interface Sample {
  readonly kind: SplitKind;
  readonly id: string;
  readonly place: string;
  readonly targets: Readonly<Record<string, string>>;
  readonly router: string;
}

const records = kinds.weightedRecords(['www.example.com'], ['A']);

/** Of every kind, one for each of its routers. */
const samples: Readonly<Record<keyof typeof kinds, readonly Sample[]>> = {
  listenerRuleSplits: [
    {
      kind: kinds.listenerRuleSplits,
      id: `${elb}:listener-rule/app/edge/1a/2b/3c`,
      place: `${elb}:listener/app/edge/1a/2b`,
      targets: groups,
      router: 'albRule',
    },
  ],
  listeners: (['app', 'net'] as const).map((type) => ({
    kind: kinds.listeners,
    id: `${elb}:listener/${type}/edge/1a/2b`,
    place: `${elb}:loadbalancer/${type}/edge/1a`,
    targets: groups,
    router: type === 'app' ? 'albDefaultAction' : 'nlbListener',
  })),
  weightedRecords: [
    { kind: records, id: 'Z1/www.example.com', place: 'Z1', targets: identifiers, router: 'route53' },
  ],
};

test('every kind has its samples, and every router of AWS is one of them', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(kinds).sort());
  const routers = Object.values(samples).flatMap((of) => of.map(({ router }) => router));
  const atAws = routerNames().filter((name) => isOfAws({ [name]: {} }));
  // A router that a program can't hold would be one for plan files alone.
  expect({
    'without a SplitKind and a sample here': atAws.filter((name) => !routers.includes(name)),
  }).toEqual({
    'without a SplitKind and a sample here': [],
  });
  expect(routers.sort()).toEqual([...atAws].sort());
});

describe.each(Object.entries(samples).flatMap(([name, of]) => of.map((sample) => [name, sample] as const)))(
  '%s',
  (_name, { kind, id, place, targets, router }) => {
    test('names its router, and is a route that a plan file may have', () => {
      expect(kind.placeOf(id)).toBe(place);
      expect([kind.routerAt(place), kind.routerAt(id)]).toEqual([router, router]);
      for (const access of [{}, { roleArn }, { region: 'eu-west-1', roleArn }]) {
        const route = routeOf(kind, { id }, targets, access);
        expect(Object.keys(route.router)).toEqual([router]);
        expect(routeProblems({ ...route })).toEqual([]);
        expect(JSON.stringify(route).includes(roleArn)).toBe('roleArn' in access);
      }
      const { field } = routerFacts(kind.routerAt(place)).slot!;
      expect(slotOf(kind, place, targets.blue!)).toEqual({ [field]: targets.blue });
    });

    test('asks nobody before it is asked', () => {
      const clients = new Proxy({} as AwsClients, {
        get: (_target, name) => {
          throw new Error(`${String(name)} was asked for`);
        },
      });
      expect(Object.keys(kind.live(clients)).sort()).toEqual(['around', 'at', 'tagsOf']);
    });
  },
);
