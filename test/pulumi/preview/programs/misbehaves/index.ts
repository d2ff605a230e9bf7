import * as pulumi from '@pulumi/pulumi';

/** Every way in which a program can go wrong, one at a time, chosen by MODE. */
class Thing extends pulumi.CustomResource {
  declare public readonly value: pulumi.Output<string>;

  public constructor(name: string, value: pulumi.Input<unknown>, opts?: pulumi.CustomResourceOptions) {
    super('test:index:Thing', name, { value }, opts);
  }
}

class InvalidInput extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'InvalidInput';
  }
}

const modes: Record<string, () => unknown> = {
  throws: () => {
    new Thing('before', 'a');
    throw new Error('thrown at the top');
  },
  rejects: async () => {
    await Promise.resolve();
    throw new Error('rejected at the top', { cause: new Error('the deeper reason') });
  },
  apply: () => {
    const thing = new Thing('first', 'a');
    new Thing(
      'second',
      thing.value.apply(() => {
        throw new Error('thrown inside of apply');
      }),
    );
    new Thing(
      'third',
      thing.value.apply(() => {
        throw new Error('thrown inside of another apply');
      }),
    );
  },
  resource: () => {
    const thing = new Thing('first', pulumi.secret('a-hidden-value'));
    throw new pulumi.ResourceError('a resource is wrong', thing);
  },
  invalid: () => {
    throw new InvalidInput('FleetTraffic "apps": 1 problem\n  weights.blue: 101: must be a whole percent');
  },
  text: () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw 'just a text';
  },
  twins: () => {
    new Thing('twin', 1);
    new Thing('twin', 2);
  },
  logs: () => void pulumi.log.error('something is wrong'),
  exits: () => process.exit(0),
  stuck: () => new Promise(() => undefined),
  waits: () => {
    const parent = new Thing('waiting', new Promise(() => undefined));
    new Thing('child', 'a', { parent });
  },
  ticks: () => {
    setInterval(() => undefined, 50);
  },
  lateThing: () => {
    setTimeout(() => new Thing('late', 'a'), 50);
  },
  transform: () => {
    const transforms = [
      () => {
        throw new Error('no team was named');
      },
    ];
    new Thing('thing', 'a', { transforms });
  },
  hookTwice: () => {
    new pulumi.ResourceHook('one', () => undefined);
    new pulumi.ResourceHook('one', () => undefined);
  },
  interrupted: () => {
    console.log('waiting');
    setInterval(() => undefined, 50);
    return new Promise(() => undefined);
  },
};

export = () => modes[process.env['MODE'] ?? '']!();
