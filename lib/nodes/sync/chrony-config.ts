import { InvalidInput } from '../../problems';
import { amazonTimeSync, timeServers } from './time-servers';

/**
 * Configuration of chrony for a node: these servers, the first one preferred.
 *
 * Amazon Time Sync is asked every 16 s, as AWS says; it is on the same host. The clock is set at once, at any time, where
 * it is off by over a second: it would else run too fast or too slow for hours, and tokens are refused meanwhile. chrony
 * answers nobody.
 *
 * @param servers addresses or host names. Default: Amazon Time Sync
 * @throws InvalidInput where they are none
 * @see https://chrony-project.org/doc/4.6/chrony.conf.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
 */
export function chronyConfig(servers: readonly string[] = amazonTimeSync): string {
  checkServers(servers);
  const lines = [
    ...servers.map((server, index) => {
      const preferred = index === 0 ? ' prefer' : '';
      const often = amazon.includes(server) ? ' minpoll 4 maxpoll 4' : '';
      return `server ${server}${preferred} iburst${often}`;
    }),
    'driftfile /var/lib/chrony/drift',
    'makestep 1 -1',
    // Without it the kernel never says that the clock is synchronised, and node_exporter neither.
    'rtcsync',
    'port 0',
    'cmdport 0',
  ];
  return `${lines.join('\n')}\n`;
}

const amazon: readonly string[] = [...amazonTimeSync, 'fd00:ec2::123'];

/** @throws InvalidInput where they are no list of servers */
export function checkServers(servers: readonly string[]): void {
  if (!timeServers.accepts(servers)) {
    throw new InvalidInput('time servers', [
      { path: 'servers', value: servers, allowed: timeServers.allowed },
    ]);
  }
}
