import { resolve } from 'node:path';
import { filesBelow } from '../cli/files-below';

/** Comments name keys for readers. */
const comment = /^\s*(\/?\*|\/\/)/;

/** These write some of them out. */
const others = /^(core\/names\.ts|pulumi\/(fleet|traffic)\/.*|shift\/checks\/.*)$/;

test('keys of labels, annotations, tags and taints are written in names.ts alone', () => {
  const written = Object.entries(filesBelow(resolve(__dirname, '../../lib')))
    .filter(([file]) => !others.test(file))
    .flatMap(([file, text]) =>
      text
        .split('\n')
        .filter((line) => !comment.test(line))
        .flatMap((line) => /['"`]cluster-canary\/[a-z][\w-]*/.exec(line) ?? [])
        .map((key) => `${file} ${key}`),
    );
  expect(written).toEqual([]);
});
