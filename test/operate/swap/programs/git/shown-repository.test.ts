import { shownRepository } from '../../../../../lib/operate/swap/programs/git/shown-repository';

test.each<[string, string]>([
  ['https://github.com/acme/infra.git', 'https://github.com/acme/infra.git'],
  ['https://alex:hunter2@git.example.com/infra.git?token=abc', 'https://git.example.com/infra.git'],
  ['ssh://git@git.example.com/infra.git', 'ssh://git.example.com/infra.git'],
  ['git@github.com:acme/infra.git', 'github.com:acme/infra.git'],
  ['deploy@git.example.com:acme/infra.git', 'git.example.com:acme/infra.git'],
  ['file:///srv/git/infra.git', '/srv/git/infra.git'],
  ['file:///srv/git/ghp_0123456789abcdefghij/infra.git', '/srv/git/[secret]'],
  ['nonsense', 'a URL that is not shown'],
])('%s is shown as %s', (url, shown) => {
  expect(shownRepository(url)).toBe(shown);
});
