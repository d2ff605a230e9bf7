import { Chart, Testing } from 'cdk8s';
import { guardClocksCommand } from '../../../lib/cli/commands/guard-clocks';
import { clockTaint } from '../../../lib/core/names';
import { clockAlerts, ClockSkewGuard } from '../../../lib/manifests/clock-guard';
import { TimeSync } from '../../../lib/manifests/time-sync';

const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;

function synth(make: (chart: Chart) => void): any[] {
  const chart = new Chart(Testing.app(), 'clocks', { namespace: 'of-the-chart' });
  make(chart);
  return Testing.synth(chart);
}
const guard = (props: object = {}) =>
  synth((chart) => new ClockSkewGuard(chart, 'guard', { namespace: 'clock-guard', image, ...props }));
const kind = (objects: readonly any[], wanted: string) => objects.filter((each) => each.kind === wanted);
const one = (objects: readonly any[], wanted: string) => kind(objects, wanted)[0];

describe('ClockSkewGuard', () => {
  test('without a gate it may list Leases of nodes, and nothing else', () => {
    const objects = guard();
    expect(
      objects.map((each) => `${each.kind} ${each.metadata.namespace}/${each.metadata.name}`).sort(),
    ).toEqual([
      'Deployment clock-guard/clock-guard',
      'PodMonitor clock-guard/clock-guard',
      'PrometheusRule clock-guard/clock-guard',
      'Role kube-node-lease/clock-guard-clock-guard',
      'RoleBinding kube-node-lease/clock-guard-clock-guard',
      'ServiceAccount clock-guard/clock-guard',
    ]);
    expect(one(objects, 'Role').rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
    ]);
    expect(one(objects, 'RoleBinding').subjects).toEqual([
      { kind: 'ServiceAccount', name: 'clock-guard', namespace: 'clock-guard' },
    ]);
    const { template, selector } = one(objects, 'Deployment').spec;
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(template.metadata.labels).toMatchObject(one(objects, 'PodMonitor').spec.selector.matchLabels);
    expect(template.spec).toMatchObject({ securityContext: { runAsNonRoot: true, runAsUser: 65532 } });
    expect(template.spec.tolerations).toBeUndefined();
  });

  test('with a gate it may patch nodes, runs on gated ones, and a policy limits it', () => {
    const objects = guard({ gate: { limit: 3 }, monitoring: false });
    expect(objects.map((each) => each.kind).sort()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Deployment',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
    expect(one(objects, 'ClusterRole')).toMatchObject({
      metadata: { name: 'clock-guard-clock-guard' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] }],
    });
    for (const name of ['ClusterRole', 'ClusterRoleBinding', 'ValidatingAdmissionPolicy']) {
      expect(one(objects, name).metadata.namespace).toBeUndefined();
    }
    const { spec } = one(objects, 'Deployment').spec.template;
    expect(spec.tolerations).toEqual([{ key: clockTaint.key, operator: 'Exists' }]);
    const policy = one(objects, 'ValidatingAdmissionPolicy');
    expect(policy.spec.matchConditions).toEqual([
      {
        name: 'guard',
        expression: 'request.userInfo.username == "system:serviceaccount:clock-guard:clock-guard"',
      },
    ]);
    expect(one(objects, 'ValidatingAdmissionPolicyBinding').spec.policyName).toBe(policy.metadata.name);
    // The policy is there before whom it limits.
    const order = objects.map((each) => each.kind);
    expect(order.indexOf('Deployment')).toBeGreaterThan(order.indexOf('ValidatingAdmissionPolicyBinding'));
  });

  test('the command takes the arguments that the pod gives', () => {
    const [container] = one(guard({ gate: true, port: 9000 }), 'Deployment').spec.template.spec.containers;
    const [name, ...args] = container.args as string[];
    const command = guardClocksCommand().exitOverride();
    expect(name).toBe(command.name());
    command.action(() => undefined).parse(args, { from: 'user' });
    expect(command.opts()).toMatchObject({ port: 9000, gate: true, limit: 5, samples: 2, interval: 10 });
    expect(container.ports).toEqual([{ name: 'metrics', containerPort: 9000 }]);
  });

  test('what is undefined is left out: the defaults hold', () => {
    const limits = { warning: undefined, critical: undefined };
    const gate = { limit: undefined, samples: undefined };
    expect(guard({ limits, gate } as never)).toEqual(guard({ gate: true }));
  });

  test('everything that is wrong is told at once', () => {
    const wrong = {
      ...{ name: 'No', namespace: 'a b', image: 'image:latest', command: [], port: 0, user: 0 },
      ...{ limits: { warning: 30 }, gate: { limit: 0, samples: 9 } },
      ...{ monitoring: { labels: { 'a b': 'x' } } },
    };
    expect(() => guard(wrong)).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        problems: [
          ...['name', 'namespace', 'image', 'command', 'user', 'limits.critical'],
          ...['gate.limit', 'gate.samples', 'port', 'monitoring.labels.a b'],
        ].map((path) => expect.objectContaining({ path }) as object),
      }),
    );
  });
});

describe('clockAlerts', () => {
  const alerts = (more: object = {}) =>
    clockAlerts({ limits: { warning: 10, critical: 25 }, gate: undefined, nodeExporter: true, ...more });

  test('skew is told at two severities, which do not come together', () => {
    const [critical, warning] = alerts().filter(({ alert }) => alert === 'NodeClockSkew');
    expect([critical!.labels.severity, warning!.labels.severity]).toEqual(['critical', 'warning']);
    expect(critical!.expr).toMatch(/>= 25$/);
    expect(warning!.expr).toMatch(/>= 10 < 25$/);
  });

  test('an offset that can not be is no threshold: the kernel bounds it to half a second', () => {
    const { expr } = alerts().find(({ alert }) => alert === 'NodeClockOffset')!;
    expect(Number(/> ([\d.]+)$/.exec(expr)![1])).toBeLessThan(0.5);
  });

  test('the gate and node_exporter have theirs only where they are', () => {
    const names = (more: object) => [...new Set(alerts(more).map(({ alert }) => alert))];
    expect(names({ nodeExporter: false })).toEqual(['NodeClockSkew', 'NodeClockUnmeasured']);
    expect(names({ nodeExporter: false, gate: { limit: 5, samples: 2 } })).toContain('NodeHeldByClock');
    expect(names({})).toEqual(
      expect.arrayContaining(['NodeClockUnsynchronised', 'NodeClockError', 'NodeClockOffset']),
    );
  });
});

describe('TimeSync', () => {
  const sync = (props: object = {}) =>
    synth((chart) => new TimeSync(chart, 'time', { namespace: 'time', image, nodeSelector: {}, ...props }));

  test('one pod a node that may set the clock, and nothing else of what root may', () => {
    const objects = sync({ nodeSelector: { 'example.com/time-daemon': 'none' } });
    expect(objects.map((each) => each.kind).sort()).toEqual(['ConfigMap', 'DaemonSet', 'ServiceAccount']);
    const { spec } = one(objects, 'DaemonSet').spec.template;
    expect(spec).toMatchObject({
      hostNetwork: true,
      automountServiceAccountToken: false,
      nodeSelector: { 'kubernetes.io/os': 'linux', 'example.com/time-daemon': 'none' },
      tolerations: [{ operator: 'Exists' }],
    });
    expect(spec.containers[0].securityContext).toEqual({
      runAsUser: 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['SYS_TIME'] },
    });
    const config = one(objects, 'ConfigMap');
    expect(spec.volumes).toContainEqual({ name: 'config', configMap: { name: config.metadata.name } });
    expect(config.data['chrony.conf'].split('\n')).toEqual(
      expect.arrayContaining([
        'server 169.254.169.123 prefer iburst minpoll 4 maxpoll 4',
        'makestep 1 -1',
        'rtcsync',
      ]),
    );
  });

  test('other servers are another configuration, and so another pod', () => {
    const name = (servers?: string[]) => one(sync(servers ? { servers } : {}), 'ConfigMap').metadata.name;
    expect(name(['ntp1.example.com'])).not.toBe(name());
    expect(name(['169.254.169.123'])).toBe(name());
  });

  test('what is undefined is left out: the defaults hold', () => {
    const undefinedProps = { command: undefined, servers: undefined, resources: undefined };
    expect(sync(undefinedProps as never)).toEqual(sync({}));
  });

  test('everything that is wrong is told at once', () => {
    const wrong = { image: 'chrony', nodeSelector: undefined, servers: ['a b'], command: ['$(X)'] };
    expect(() => sync(wrong)).toThrow(
      expect.objectContaining({
        problems: ['image', 'command', 'nodeSelector', 'servers'].map(
          (path) => expect.objectContaining({ path }) as object,
        ),
      }),
    );
  });
});
