import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'vitest'
import { root } from './child.mjs'
import { node24 } from './install.mjs'

let clone: string
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'caretaker-clone-'))
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

/** A developer's environment: without CI and without the variables that git sets for hooks. */
const own = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'CI' && !name.startsWith('GIT_')),
)
const write = (name: string, content: string) => writeFileSync(path.join(clone, name), content)
const read = (name: string) => readFileSync(path.join(clone, name), 'utf8')

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], {
    cwd: clone,
    encoding: 'utf8',
    env: own,
  })
  assert.equal(status, 0, `git ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

function makeClone(): void {
  git('init', '--quiet')
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'), 'junction')
  for (const name of ['.oxfmtrc.json', '.oxlintrc.json']) cpSync(path.join(root, name), path.join(clone, name))
  write('.gitignore', 'node_modules\n')
  write('tsconfig.json', '{ "compilerOptions": { "strict": true, "noEmit": true } }\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'chore: begin')
  git('config', 'core.hooksPath', path.join(root, 'tools/hooks'))
}

test('a commit formats the staged files, in the working tree too, and leaves what is not staged alone', () => {
  makeClone()
  write('whole.ts', 'export const one   =  "1";\n')
  write('part.ts', 'export const two   =  "2";\n')
  git('add', '.')
  write('part.ts', 'export const two   =  "2";\nexport const three   =  "3";\n')
  git('commit', '--quiet', '--message', 'feat: add two files')
  assert.equal(git('show', 'HEAD:whole.ts'), "export const one = '1'\n")
  assert.equal(read('whole.ts'), "export const one = '1'\n")
  assert.equal(git('show', 'HEAD:part.ts'), "export const two = '2'\n")
  assert.match(read('part.ts'), /three {3}= {2}"3"/)
})

test('a commit with an error of the linter is refused', () => {
  makeClone()
  write('wrong.ts', 'export const one = (unused: any) => 1\ndebugger\n')
  git('add', '.')
  const { status, stderr } = spawnSync('git', ['commit', '--message', 'feat: add an error'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...own, GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@t', GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@t' },
  })
  assert.notEqual(status, 0)
  assert.match(stderr, /stopped by the linter/)
})

test('the prepare script sets the hooks only in a clone, and never fails an installation', () => {
  mkdirSync(path.join(clone, 'tools/hooks'), { recursive: true })
  cpSync(path.join(root, 'tools/hooks/install.mjs'), path.join(clone, 'tools/hooks/install.mjs'))
  const prepare = (env: NodeJS.ProcessEnv = own) => {
    const { status, stdout, stderr } = spawnSync(node24(), ['tools/hooks/install.mjs'], {
      cwd: clone,
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    assert.equal(stdout + stderr, '')
  }
  const hooks = () =>
    spawnSync('git', ['config', '--local', '--get', 'core.hooksPath'], {
      cwd: clone,
      encoding: 'utf8',
      env: own,
    }).stdout.trim()
  // An unpacked release archive is not a clone.
  prepare()
  git('init', '--quiet')
  prepare({ ...own, CI: 'true' })
  prepare({ ...own, PATH: '/nowhere' })
  assert.equal(hooks(), '')
  prepare()
  assert.equal(hooks(), 'tools/hooks')
  git('config', 'core.hooksPath', '.husky')
  prepare()
  assert.equal(hooks(), '.husky')
})

test('npm runs the prepare script, and it is where package.json expects it', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: { prepare: string }
  }
  assert.equal(scripts.prepare, 'node tools/hooks/install.mjs')
})

test('editors, the dev container and Renovate have settings that can be read, and the Node of the image', () => {
  const parse = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<string, unknown>
  const node = /^ARG NODE=(.*)$/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))![1]
  assert.equal(readFileSync(path.join(root, '.nvmrc'), 'utf8').trim(), node)
  const ci = readFileSync(path.join(root, '.github/workflows/ci.yml'), 'utf8')
  assert.ok(ci.includes(`container: ${String(parse('.devcontainer/devcontainer.json').image)}`))
  assert.ok(Array.isArray(parse('renovate.json').packageRules))
})
