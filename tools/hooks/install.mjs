// npm's prepare script: sets the git hooks of this folder in a clone. Without git, outside a clone, in CI, or if other hooks are
// set, it changes nothing, and it never fails an installation.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..')
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })

if (!process.env.CI && existsSync(path.join(root, '.git'))) {
  const { status, stdout } = git('config', '--get', 'core.hooksPath')
  // git answers 1 for a missing setting; another status means no git, or a repository that git refuses.
  if (status === 1 && !stdout) git('config', '--local', 'core.hooksPath', 'tools/hooks')
}
