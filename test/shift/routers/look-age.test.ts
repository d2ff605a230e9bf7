import { awsClients } from '../../../lib/core/aws/clients';
import type { AwsClients } from '../../../lib/core/aws/clients';
import type { LookClocks, OpenRouter } from 'cluster-canary/routers';
import type { Weights } from 'cluster-canary/shift';
import type { Answers } from '../../core/aws/recording-clients';
import { RecordingClients } from '../../core/aws/recording-clients';
import { albListenerArn, blueArn, greenArn, ruleArn, targetGroupArns } from './arns';
import { albDefaultAction, albRule, route53 } from './open';
import { RuleServer } from './rule-server';

/** Clocks that are set by hand. */
class SetClocks implements LookClocks {
  public time = 1_000_000;
  public uptime = 5_000;

  public wall = (): number => this.time;
  public monotonic = (): number => this.uptime;

  /** The process is busy, or stopped by a signal. */
  public block(milliseconds: number): void {
    this.time += milliseconds;
    this.uptime += milliseconds;
  }

  /** The machine sleeps. */
  public suspend(milliseconds: number): void {
    this.time += milliseconds;
  }
}

const minute = 60_000;

/** What happens between a look and the write, and whether the look still counts. */
const between: [string, (clocks: SetClocks) => void, boolean][] = [
  ['nothing', () => undefined, true],
  ['a second', (clocks) => clocks.block(1_000), true],
  ['three seconds of a process that is busy', (clocks) => clocks.block(3_000), false],
  ['an hour of a machine that sleeps', (clocks) => clocks.suspend(60 * minute), false],
  ['a wall clock that is set back', (clocks) => clocks.suspend(-5 * minute), false],
  [
    'a wall clock that is set back by the time that has passed',
    (clocks) => {
      clocks.block(5 * minute);
      clocks.suspend(-5 * minute);
    },
    false,
  ],
];

interface Held {
  weights: Weights;
  clients: RecordingClients;
}

/** A holder of weights of each kind; `asked` is called with the number of each look, and `seen` when it was answered. */
function held(seen: (look: number) => void, asked: (look: number) => void = () => undefined): Held {
  let looks = 0;
  const answers: Record<string, Answers[string]> = {};
  const state: Held = { weights: { blue: 50, green: 50 }, clients: new RecordingClients(answers) };
  const actions = () => [
    {
      Type: 'forward' as const,
      ForwardConfig: {
        TargetGroups: [
          { TargetGroupArn: blueArn, Weight: state.weights.blue },
          { TargetGroupArn: greenArn, Weight: state.weights.green },
        ],
      },
    },
  ];
  const sets = () =>
    Object.entries(state.weights).map(([SetIdentifier, Weight]) => {
      return { Name: 'www.example.com.', Type: 'A', SetIdentifier, Weight };
    });
  const look = (answer: () => object) => () => {
    const answered = answer();
    asked((looks += 1));
    return answered;
  };
  Object.assign(answers, {
    DescribeRules: look(() => ({ Rules: [{ Actions: actions() }] })),
    DescribeListeners: look(() => ({ Listeners: [{ DefaultActions: actions() }] })),
    ListResourceRecordSets: look(() => ({ ResourceRecordSets: sets() })),
    ModifyRule: () => ({ Rules: [{}] }),
    ModifyListener: () => ({ Listeners: [{}] }),
    ChangeResourceRecordSets: () => ({ ChangeInfo: { Id: 'C1', Status: 'INSYNC' } }),
  });
  // Each look is followed by a write, which requires its client first.
  let uses = 0;
  const { clients } = state;
  const used = <Client>(client: () => Promise<Client>): (() => Promise<Client>) => {
    return () => {
      if ((uses += 1) % 2 === 0) {
        seen(looks);
      }
      return client();
    };
  };
  clients.elasticLoadBalancing = used(clients.elasticLoadBalancing);
  clients.route53 = used(clients.route53);
  return state;
}

const records = {
  hostedZoneId: 'Z1D633PJN98FT9',
  recordName: 'www.example.com',
  recordType: 'A',
  setIdentifiers: { blue: 'blue', green: 'green' },
} as const;

const kinds: [string, (clients: AwsClients, clocks: LookClocks) => OpenRouter, string, string][] = [
  [
    'a rule',
    (clients, clocks) => albRule({ ruleArn, targetGroupArns }, clients, clocks),
    'DescribeRules',
    'ModifyRule',
  ],
  [
    'a listener',
    (clients, clocks) => albDefaultAction({ listenerArn: albListenerArn, targetGroupArns }, clients, clocks),
    'DescribeListeners',
    'ModifyListener',
  ],
  [
    'records',
    (clients, clocks) => route53(records, clients, undefined, clocks),
    'ListResourceRecordSets',
    'ChangeResourceRecordSets',
  ],
];

const wanted = { blue: 25, green: 75 };
const expected = [{ blue: 50, green: 50 }, wanted];

describe.each(kinds)('%s', (_, make, read, write) => {
  test.each(between)('after %s', async (_what, happens, counts) => {
    const clocks = new SetClocks();
    // The second look is used at once.
    const { clients } = held((look) => (look === 1 ? happens(clocks) : undefined));
    await make(clients, clocks).write(wanted, undefined, expected);
    expect(clients.names).toEqual(counts ? [read, write] : [read, read, write]);
  });

  test('the look that is made anew is compared, too', async () => {
    const clocks = new SetClocks();
    const state = held((look) => {
      if (look === 1) {
        clocks.suspend(60 * minute);
        state.weights = { blue: 100, green: 0 };
      }
    });
    await expect(make(state.clients, clocks).write(wanted, undefined, expected)).rejects.toMatchObject({
      failure: 'changed',
      live: { blue: 100, green: 0 },
    });
    expect(state.clients.names).toEqual([read, read]);
  });

  test('looks that are old each time leave the write to the next try', async () => {
    const clocks = new SetClocks();
    const { clients } = held(() => clocks.block(3_000));
    await expect(make(clients, clocks).write(wanted)).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringMatching(/it took too long from reading the weights to writing them, 3 times/),
    });
    expect(clients.names).toEqual([read, read, read]);
  });

  test.each([
    [4_000, [read, write]],
    [6_000, [read, read, write]],
  ])('an answer that takes %i ms', async (milliseconds, names) => {
    const clocks = new SetClocks();
    const { clients } = held(
      () => undefined,
      (look) => (look === 1 ? clocks.block(milliseconds) : undefined),
    );
    await make(clients, clocks).write(wanted);
    expect(clients.names).toEqual(names);
  });
});

describe('with the SDK itself', () => {
  let server: RuleServer;
  let clients: AwsClients;
  let clocks: SetClocks;

  beforeEach(async () => {
    server = await new RuleServer({ blue: 50, green: 50 }).start();
    clocks = new SetClocks();
  });

  afterEach(async () => {
    clients.close();
    await server.stop();
  });

  /** @param slow is called when the credentials of the first write are asked for */
  function router(slow: () => void): OpenRouter {
    let isSlow = true;
    const given = { accessKeyId: 'a', secretAccessKey: 'b' };
    clients = awsClients({ region: 'eu-west-1', endpoint: server.url, credentials: given });
    const plain = clients;
    const signed: AwsClients = {
      ...clients,
      elasticLoadBalancing: async () => {
        const client = await plain.elasticLoadBalancing();
        // They have expired each time, so the SDK asks for them before each request.
        client.config.credentials = Object.assign(
          () => {
            if (isSlow && server.events.at(-1) === 'DescribeRules') {
              isSlow = false;
              slow();
            }
            return Promise.resolve({ ...given, expiration: new Date(0) });
          },
          { memoized: true },
        ) as unknown as typeof client.config.credentials;
        return client;
      },
    };
    return albRule({ ruleArn, targetGroupArns }, signed, clocks);
  }

  test('a look is made anew when the credentials of the write took their time', async () => {
    await router(() => clocks.block(4_000)).write(wanted);
    expect(server.events).toEqual(['DescribeRules', 'DescribeRules', 'ModifyRule blue 25, green 75']);
  });

  test('what an operator has set meanwhile stays', async () => {
    const slow = router(() => {
      clocks.suspend(60 * minute);
      server.operator({ blue: 100, green: 0 });
    });
    await expect(slow.write(wanted, undefined, expected)).rejects.toMatchObject({ failure: 'changed' });
    expect(server.events).toEqual(['DescribeRules', 'operator', 'DescribeRules']);
  });

  test('credentials that are there at once cost no look', async () => {
    await router(() => undefined).write(wanted);
    expect(server.events).toEqual(['DescribeRules', 'ModifyRule blue 25, green 75']);
  });

  test('the time of a read counts from its last request', async () => {
    server.onRequest = (action, call) => {
      if (action === 'DescribeRules' && call === 0) {
        clocks.block(8_000);
        return { status: 503, body: '' };
      }
      return undefined;
    };
    await router(() => undefined).write(wanted);
    expect(server.events).toEqual(['DescribeRules', 'DescribeRules', 'ModifyRule blue 25, green 75']);
  });
});
