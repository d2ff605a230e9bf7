import { takeSlotOff } from '../../../../lib/operate/swap/phases/routes';
import { BalancingWorld, arnOf } from '../../live-traffic/balancing-world';
import { never } from './phase-runs';

const mockTaken: string[] = [];
jest.mock('../../../../lib/shift/routers', () => {
  const routers = jest.requireActual('../../../../lib/shift/routers');
  return {
    ...routers,
    // Without the clients of the swap, a router opens its own.
    openRouter: (route: object, context?: object) =>
      context === undefined
        ? { takeOff: (slot: string) => Promise.resolve(void mockTaken.push(slot)) }
        : routers.openRouter(route, context),
  };
});

const rules = ['3', '4'].map((id, index) => ({
  ...{ arn: `2/${id}`, priority: index + 1, weights: { blue: 0, green: 100 } },
  conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: [`${id}.example.com`] } }],
}));

/** Clients that note what is written, and fail where the test says so. */
function worldWith(fails: (command: string) => boolean = () => false) {
  const { clients } = new BalancingWorld(rules);
  const written: string[] = [];
  const elasticLoadBalancing = async () => {
    const real: any = await clients.elasticLoadBalancing();
    const { send } = real;
    real.send = (command: any, ...rest: unknown[]) => {
      const { name } = command.constructor;
      if (fails(name)) {
        throw Object.assign(new Error('User is not authorized'), { name: 'AccessDenied', $fault: 'client' });
      }
      if (name !== 'ModifyRuleCommand') {
        return send.call(real, command, ...rest);
      }
      written.push(command.input.RuleArn.split('/').at(-1));
      return Promise.resolve({ Rules: [{ Actions: command.input.Actions }] });
    };
    return real;
  };
  return { clients: { ...clients, region: 'eu-west-1', elasticLoadBalancing }, written };
}

test('a slot goes off every rule of the fleet', async () => {
  const { clients, written } = worldWith();
  await takeSlotOff({ fleet: 'apps', clients }, 'blue', never);
  expect(written).toEqual(['3', '4']);
});

test('load balancers that can not be read are an error: AWS would refuse to delete the target group', async () => {
  const { clients, written } = worldWith((command) => /DescribeListeners|DescribeRules/.test(command));
  await expect(takeSlotOff({ fleet: 'apps', clients }, 'blue', never)).rejects.toThrow(
    /^it is not known what else forwards to slot blue: .*its rules could not be read/,
  );
  expect(written).toEqual([]);
});

test('the rule of the file is written by an identity of its own, and those of the fleet as well', async () => {
  const { clients, written } = worldWith();
  const listener = 'arn:aws:elasticloadbalancing:eu-west-1:999999999999:listener-rule/app/edge/1/9/9';
  const route = {
    router: {
      albRule: { ruleArn: listener, region: 'eu-west-1', roleArn: 'arn:aws:iam::999999999999:role/edge' },
    },
    slots: { blue: { targetGroupArn: arnOf('blue') }, green: { targetGroupArn: arnOf('green') } },
  };
  await takeSlotOff({ fleet: 'apps', clients, route }, 'blue', never);
  expect(written).toEqual(['3', '4']);
  expect(mockTaken).toEqual(['blue']);
});
