// The pre-commit hook: formats and lints the staged files. In a partially staged file, only the staged part is formatted.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24 } from '../install.mjs'

const repository = git(['rev-parse', '--show-toplevel']).trim()
const bin = (name) => fileURLToPath(import.meta.resolve(`../../node_modules/${name}/bin/${name}`))

/** Runs git in the repository of the commit and returns its output; throws if it fails. */
function git(args, input) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', input, maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  return stdout
}

const lines = (text) => text.split('\0').filter(Boolean)

/** Formats a staged file in the index, and in the working tree if it has no other changes. */
function format(file, isPartial) {
  const staged = git(['show', `:${file}`])
  const { status, stdout } = spawnSync(node24(), [bin('oxfmt'), `--stdin-filepath=${file}`], {
    encoding: 'utf8',
    input: staged,
    cwd: repository,
    maxBuffer: 2 ** 28,
  })
  // If a file cannot be parsed, the linter reports it.
  if (status !== 0 || stdout === '' || stdout === staged) return
  const [mode] = git(['ls-files', '--stage', '--', file]).split(' ')
  const id = git(['hash-object', '-w', '--stdin', `--path=${file}`], stdout).trim()
  git(['update-index', '--cacheinfo', `${mode},${id},${file}`])
  if (!isPartial) writeFileSync(path.join(repository, file), stdout)
  console.log(`formatted ${file}`)
}

function main() {
  process.chdir(repository)
  const staged = lines(git(['diff', '--cached', '--name-only', '--diff-filter=ACMR', '-z']))
  const partial = new Set(lines(git(['diff', '--name-only', '-z'])))
  for (const file of staged.filter((name) => /\.(?:[cm]?[jt]sx?|json|css|ya?ml|html)$/.test(name)))
    format(file, partial.has(file))
  const code = staged.filter((name) => /\.[cm]?[jt]sx?$/.test(name))
  if (code.length === 0) return 0
  const { status } = spawnSync(node24(), [bin('oxlint'), '--deny-warnings', ...code], { stdio: 'inherit' })
  if (status !== 0) console.error('The commit was stopped by the linter. Fix the errors above, or use --no-verify.')
  return status ?? 1
}

if (!existsSync(path.join(repository, 'node_modules/oxfmt'))) console.log('Nothing was formatted: run npm ci first.')
else process.exitCode = main()
