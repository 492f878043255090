// `npm run check`: format, lint and types of the whole repository.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { isMain, root, run } from './child.mjs'
import { node24, underNode24 } from './install.mjs'

const bin = (...parts) => path.join(root, 'node_modules', ...parts)

const checks = [
  { name: 'format', args: [bin('oxfmt', 'bin', 'oxfmt'), '--check'], advice: 'npm run format puts it right' },
  {
    name: 'lint',
    args: [bin('oxlint', 'bin', 'oxlint'), '--deny-warnings'],
    advice: 'npx oxlint --fix puts the simple ones right',
  },
  {
    name: 'messages of the new commits',
    args: [path.join(root, 'tools', 'commits.mjs')],
    advice: 'git rebase -i rewords them',
  },
  ...typeProjects().map((project) => ({
    name: `types of ${project}`,
    args: [bin('typescript', 'bin', 'tsc'), '-p', project],
  })),
]

/** The root project, and the projects of packages that need other globals, such as the browser's. */
function typeProjects() {
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)
  const own = packages.flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`))
  return ['tsconfig.json', ...own.filter((file) => /\/tsconfig[^/]*\.json$/.test(file))]
}

/**
 * Runs all checks, two at a time, and prints the result of each.
 * @returns {Promise<{ name: string, ok: boolean }[]>}
 */
export async function check() {
  const node = node24()
  const outcomes = []
  const waiting = [...checks]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const begun = Date.now()
      const { code, output } = await run(node, next.args, { capture: true })
      const ok = code === 0
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${next.name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`)
      if (!ok) console.log([output.trim(), next.advice].filter(Boolean).join('\n').replaceAll(/^/gm, '    '))
      outcomes.push({ name: next.name, ok })
    }
  }
  await Promise.all([worker(), worker()])
  return outcomes
}

if (isMain(import.meta.url)) {
  await underNode24(import.meta.url)
  const outcomes = await check()
  process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1
}
