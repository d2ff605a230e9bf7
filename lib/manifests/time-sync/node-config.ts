import { isIP } from 'node:net';
import { dnsSubdomain } from '../../core/validation/formats';
import { InvalidInput } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';

/**
 * Amazon Time Sync: every EC2 instance reaches it, without a way into the Internet. Instances that have IPv6 alone take
 * `fd00:ec2::123`.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
 */
export const amazonTimeSync: readonly string[] = ['169.254.169.123'];

/** A list of NTP servers. */
export const timeServers: Format = {
  allowed: 'a list of at least one address or host name of an NTP server, each once',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((each) => (typeof each === 'string' && isIP(each) !== 0) || dnsSubdomain.accepts(each)),
};

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
function checkServers(servers: readonly string[]): void {
  if (!timeServers.accepts(servers)) {
    throw new InvalidInput('time servers', [
      { path: 'servers', value: servers, allowed: timeServers.allowed },
    ]);
  }
}

/**
 * Settings of Bottlerocket, as TOML: a fragment of user data.
 *
 * @param servers addresses or host names. Default: Amazon Time Sync
 * @throws InvalidInput where they are none
 * @see https://bottlerocket.dev/en/os/latest/api/settings/ntp/
 */
export function bottlerocketTimeSettings(servers: readonly string[] = amazonTimeSync): string {
  checkServers(servers);
  return `[settings.ntp]\ntime-servers = [${servers.map((server) => JSON.stringify(server)).join(', ')}]\n`;
}

/**
 * A script for machines that have chrony, in AMIs of one's own and elsewhere: user data, or a fragment of it. It writes
 * chrony's configuration and starts chrony, and fails where there is none.
 *
 * @param servers addresses or host names. Default: Amazon Time Sync
 * @throws InvalidInput where they are none
 */
export function chronyScript(servers: readonly string[] = amazonTimeSync): string {
  return `set -eu
command -v chronyd >/dev/null || { echo 'there is no chronyd on this machine' >&2; exit 1; }
# Debian and Ubuntu have a folder for it, Amazon Linux and Red Hat a file.
if [ -d /etc/chrony ]; then file=/etc/chrony/chrony.conf service=chrony; else file=/etc/chrony.conf service=chronyd; fi
cat >"$file" <<'END'
${chronyConfig(servers)}END
systemctl enable "$service"
systemctl restart "$service"
`;
}

/**
 * User data of several parts, each a script, as EKS wants it for Amazon Linux: it adds its own part.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export function scriptsAsUserData(...scripts: readonly string[]): string {
  const boundary = 'cluster-canary-part';
  const parts = scripts.map(
    (script) => `--${boundary}\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n${script.trimEnd()}`,
  );
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    ...parts,
    `--${boundary}--`,
    '',
  ].join('\n');
}
