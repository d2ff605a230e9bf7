import type { FieldProblem } from './app-fields';
import type { KeyFault } from './private-key';

/** What is wrong with a key in words, and how to mend it. Nothing of the key is in them. */
const words: Readonly<Record<KeyFault, readonly [evidence: string, next: string]>> = {
  empty: ['it is empty', 'Write the key into the Secret.'],
  'not-pem': [
    'it has no line that begins with "-----BEGIN"',
    'Write the whole file that GitHub gave out into the Secret, its first and last line included.',
  ],
  'base64-twice': [
    'it is base64 of a key: it was encoded once too often',
    'Put the base64 of the file into "data", or the file itself into "stringData".',
  ],
  'escaped-line-breaks': [
    'it has the two characters "\\n" where line breaks belong',
    'Turn "\\n" into line breaks before the key is stored: it was JSON, or a variable of a CI system.',
  ],
  'one-line': [
    'its lines have become one',
    'Keep the line breaks: "|" in YAML, quotes around a variable in a shell.',
  ],
  indented: [
    'its first or last line is indented',
    'Remove the white space before the lines: the key was cut out of a YAML file.',
  ],
  truncated: [
    'it ends before its end',
    'Store the whole file; a field of the secret store may be too short for it.',
  ],
  damaged: [
    'what is between its first and last line is no key',
    'Store the file again, as GitHub gave it out, and compare its size.',
  ],
  passphrase: [
    'it is encrypted with a passphrase, which Argo CD has nowhere to take from',
    'Store the key without one: openssl rsa -in FILE -out PLAIN.',
  ],
  openssh: [
    'it is in the format of OpenSSH',
    'Store the file that GitHub gave out, or convert it: ssh-keygen -p -m PEM -f FILE.',
  ],
  'public-key': ['it is a public key', 'Store the private key that GitHub gave out.'],
  certificate: ['it is a certificate', 'Store the private key that GitHub gave out.'],
  'not-rsa': [
    'it is a key, but not for RSA',
    'Store the private key that GitHub gave out; GitHub knows no other kind for Apps.',
  ],
};

/** The problem that a key that can't be read is. */
export function keyProblem(fault: KeyFault): FieldProblem {
  const [evidence, next] = words[fault];
  return {
    cause: `key-${fault}`,
    severity: 'error',
    final: true,
    message: "Argo CD can't read githubAppPrivateKey",
    evidence: [`githubAppPrivateKey: ${evidence}`],
    next,
  };
}
