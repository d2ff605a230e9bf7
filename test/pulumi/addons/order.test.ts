import * as fc from 'fast-check';
import type { Problem } from '../../../lib/core/validation';
import { formatProblem as line } from '../../../lib/core/validation';
import type { Addon } from '../../../lib/pulumi/addons';
import {
  awsLoadBalancerController,
  certManager,
  checkAddons,
  checkAddonsFit,
  existingAddon,
  HelmAddon,
  installOrder,
} from '../../../lib/pulumi/addons';

const addon = (name: string, ...requires: string[]): Addon => ({
  name,
  requires,
  install: () => ({ resources: [] }),
});
const names = (addons: readonly Addon[]) => addons.map(({ name }) => name);
const lines = (problems: readonly Problem[]) => problems.map(line);

describe('installOrder', () => {
  test.each<[string, Addon[], string[]]>([
    ['nothing', [], []],
    ['keeps the list where nothing is asked', [addon('b'), addon('a')], ['b', 'a']],
    ['puts what is required first', [addon('a', 'b'), addon('b')], ['b', 'a']],
    [
      'keeps the order of requirements',
      [addon('a', 'c', 'b'), addon('b', 'd'), addon('c'), addon('d')],
      ['c', 'd', 'b', 'a'],
    ],
    [
      'installs a shared requirement once',
      [addon('a', 'base'), addon('b', 'base'), addon('base')],
      ['base', 'a', 'b'],
    ],
  ])('%s', (_, given, order) => {
    expect(names(installOrder(given))).toEqual(order);
  });

  test('each add-on once, after everything it requires, for any acyclic list', () => {
    const list = fc
      .integer({ min: 0, max: 12 })
      .chain((size) =>
        fc.tuple(
          fc.constant(size),
          fc.array(fc.tuple(fc.nat(Math.max(size - 1, 0)), fc.nat(Math.max(size - 1, 0)))),
          fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
        ),
      );
    fc.assert(
      fc.property(list, ([size, edges, shuffled]) => {
        const given = shuffled.map((number) =>
          addon(
            `n${number}`,
            ...edges.filter(([from, to]) => from === number && to < number).map(([, to]) => `n${to}`),
          ),
        );
        const order = names(installOrder(given));
        expect([...order].sort()).toEqual([...Array(size).keys()].map((number) => `n${number}`).sort());
        for (const { name, requires } of given) {
          for (const required of requires) {
            expect(order.indexOf(required)).toBeLessThan(order.indexOf(name));
          }
        }
      }),
    );
  });

  test('refuses a list with a cycle', () => {
    expect(() => installOrder([addon('a', 'b'), addon('b', 'a')])).toThrow('a -> b -> a');
  });
});

describe('checkAddons', () => {
  test('finds nothing wrong with a sound list', () => {
    expect(checkAddons([awsLoadBalancerController(), certManager()])).toEqual([]);
  });

  test('tells everything at once', () => {
    const found = lines(
      checkAddons([
        addon('Upper'),
        addon('twice'),
        addon('twice'),
        addon('self', 'self'),
        addon('a', 'b'),
        addon('b', 'c', 'missing'),
        addon('c', 'a'),
        certManager({ replicas: { webhook: 0 } }),
      ]),
    );
    expect(found).toEqual([
      expect.stringMatching(/^addons\[0\]\.name: "Upper": must be lower-case letters/),
      'addons[2].name: "twice": must be a name of its own: addons[1] has it too',
      expect.stringMatching(
        /^addons\[5\]\.requires\[1\]: "missing": must be the name of an add-on in the list/,
      ),
      'addons[3].requires: ["self"]: must be free of cycles: self -> self',
      'addons[4].requires: ["b"]: must be free of cycles: a -> b -> c -> a',
      'addons[7].replicas.webhook: 0: must be a whole number from 1 to 10',
    ]);
  });

  test('a requirement that something else installs is met by existingAddon', () => {
    expect(lines(checkAddons([awsLoadBalancerController()]))).toEqual([
      expect.stringContaining('add existingAddon("cert-manager")'),
    ]);
    expect(checkAddons([awsLoadBalancerController(), existingAddon('cert-manager')])).toEqual([]);
  });
});

describe('checkAddonsFit', () => {
  test('Auto Mode has a load balancer controller of its own', () => {
    const list = [certManager(), awsLoadBalancerController()];
    expect(checkAddonsFit(list, { autoMode: false })).toEqual([]);
    expect(lines(checkAddonsFit(list, { autoMode: true }))).toEqual([
      expect.stringMatching(
        /^addons\[1\]: "aws-load-balancer-controller": must be left out on .*eks\.amazonaws\.com\/v1/,
      ),
    ]);
  });
});

describe('options of charts', () => {
  const options = {
    name: 'own',
    chart: 'own',
    repository: 'https://charts.example.com',
    version: '1.2.3',
    namespace: 'own',
  };

  test.each([
    [{}],
    [{ version: 'v1.2.3-rc.1+build' }],
    [{ chart: 'oci://registry.example.com/own', repository: undefined }],
    [{ chart: './charts/own', repository: undefined }],
    [{ timeoutSeconds: 3600, requires: ['own-base'] }],
    [{ harden: true }],
    [{ harden: '/opt/bin/harden' }],
    [{ name: 'a'.repeat(53) }],
  ])('takes %j', (over) => {
    expect(new HelmAddon({ ...options, ...over }).problems).toEqual([]);
  });

  test.each<[object, string]>([
    [{ version: '^1.2.3' }, 'version: "^1.2.3": must be an exact version'],
    [{ version: '1.2' }, 'version: "1.2": must be an exact version'],
    [{ version: '' }, 'version: "": must be an exact version'],
    [{ chart: '', repository: undefined }, 'chart: "": must be the name of a chart'],
    [{ repository: undefined }, 'repository: is required: the URL of the repository'],
    [
      { chart: 'oci://registry.example.com/own' },
      'repository: "https://charts.example.com": must be left out',
    ],
    [{ namespace: 'Own' }, 'namespace: "Own": must be lower-case'],
    [{ createNamespace: 'no' as never }, 'createNamespace: "no": must be true or false'],
    [{ removal: 'never' as never }, 'removal: "never": must be one of "stays", "uninstalled"'],
    [{ releaseArgs: [] as never }, 'releaseArgs: []: must be an object of raw arguments'],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds: 0: must be a whole number from 1 to 3600'],
    [
      { harden: 'cluster-canary harden' },
      'harden: "cluster-canary harden": must be true, false, or a program',
    ],
    [{ name: 'a'.repeat(54) }, 'at most 53 characters'],
  ])('refuses %j', (over, expected) => {
    const found = lines(new HelmAddon({ ...options, ...over }).problems);
    expect(found).toEqual([expect.stringContaining(expected)]);
  });

  test('a name that is no DNS label is told once, with the list', () => {
    expect(checkAddons([new HelmAddon({ ...options, name: 'No_Label' })])).toHaveLength(1);
  });
});
