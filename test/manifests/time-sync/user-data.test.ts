import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bottlerocketTimeSettings,
  chronyConfig,
  chronyScript,
  scriptsAsUserData,
  timeServers,
} from '../../../lib/manifests/time-sync';

test.each<[unknown, boolean]>([
  [['169.254.169.123'], true],
  [['fd00:ec2::123', 'ntp.example.com'], true],
  [[], false],
  [['ntp.example.com', 'ntp.example.com'], false],
  [['ntp.example.com iburst'], false],
  [['ntp.example.com\nmakestep 1 -1'], false],
  [["'; rm -rf /"], false],
  ['ntp.example.com', false],
])('time servers %j: %p', (servers, accepted) => {
  expect(timeServers.accepts(servers)).toBe(accepted);
});

test('only Amazon Time Sync is asked every 16 s, and only the first is preferred', () => {
  expect(chronyConfig(['fd00:ec2::123', 'ntp.example.com']).split('\n').slice(0, 2)).toEqual([
    'server fd00:ec2::123 prefer iburst minpoll 4 maxpoll 4',
    'server ntp.example.com iburst',
  ]);
  expect(() => chronyConfig(['a b'])).toThrow(/servers: \["a b"\]: must be a list/);
});

test('Bottlerocket is told by its settings', () => {
  expect(bottlerocketTimeSettings(['169.254.169.123', 'ntp.example.com'])).toBe(
    '[settings.ntp]\ntime-servers = ["169.254.169.123", "ntp.example.com"]\n',
  );
});

describe('the script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chrony-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs it with programs of the test in place of the system's, and answers what was started. */
  function run(machine: { chronyd: boolean; debian: boolean }): { started: string; file: string } {
    const [root, bin] = ['etc', 'bin'].map((each) =>
      join(folder, [machine.chronyd, machine.debian, each].join('-')),
    );
    mkdirSync(machine.debian ? join(root!, 'chrony') : root!, { recursive: true });
    mkdirSync(bin!);
    const program = (name: string, text: string) =>
      writeFileSync(join(bin!, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('systemctl', `echo "$@" >>${bin}/started`);
    if (machine.chronyd) {
      program('chronyd', 'true');
    }
    const script = chronyScript(['ntp.example.com']).replaceAll('/etc/', `${root}/`);
    execFileSync('/bin/sh', ['-c', script], { env: { PATH: `${bin}:/bin:/usr/bin` }, stdio: 'pipe' });
    const file = machine.debian ? join(root!, 'chrony', 'chrony.conf') : join(root!, 'chrony.conf');
    return { started: readFileSync(join(bin!, 'started'), 'utf8'), file: readFileSync(file, 'utf8') };
  }

  test.each([
    [true, 'chrony'],
    [false, 'chronyd'],
  ])('writes the configuration and starts chrony (Debian: %p)', (debian, service) => {
    const { started, file } = run({ chronyd: true, debian });
    expect(file).toBe(chronyConfig(['ntp.example.com']));
    expect(started).toBe(`enable ${service}\nrestart ${service}\n`);
  });

  test('fails where there is no chrony', () => {
    expect(() => run({ chronyd: false, debian: true })).toThrow(/there is no chronyd on this machine/);
  });

  test('goes into user data of several parts', () => {
    const [head, ...parts] = scriptsAsUserData('#!/bin/sh\none\n', '#!/bin/sh\ntwo\n').split(
      '--cluster-canary-part',
    );
    expect(head).toMatch(
      /^MIME-Version: 1\.0\nContent-Type: multipart\/mixed; boundary="cluster-canary-part"\n\n$/,
    );
    expect(parts).toEqual([
      '\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/sh\none\n',
      '\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/sh\ntwo\n',
      '--\n',
    ]);
  });
});
