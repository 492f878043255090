import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

interface BuildInfo {
  number: string
  commit: string
  branch: string
}

const folder = import.meta.dirname

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // No git, or a copy without its history.
    return ''
  }
}

/** The number of commits, the commit and the branch of the build; the package version if git is not available. */
function buildInfo(): BuildInfo {
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string }
  return {
    number: git('rev-list', '--count', 'HEAD') || version,
    commit: git('rev-parse', '--short=10', 'HEAD') || version,
    branch: git('branch', '--show-current') || (git('rev-parse', 'HEAD') ? 'detached' : 'release'),
  }
}

/** Writes `/build.json`, which the support page reads. */
export function buildInformation(): Plugin {
  return {
    name: 'build-information',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'build.json', source: `${JSON.stringify(buildInfo())}\n` })
    },
    configureServer(server) {
      server.middlewares.use('/build.json', (_request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(buildInfo()))
      })
    },
  }
}
