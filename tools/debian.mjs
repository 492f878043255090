import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { run } from './child.mjs'

export const isRoot = () => process.getuid?.() === 0

export const isDebian = () => existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')

/** The first line that apt-get marks as an error; later errors follow from it. */
export const firstAptError = (output) => {
  const lines = output.trim().split('\n')
  return lines.find((line) => line.startsWith('E: ')) ?? lines.at(-1)
}

const policy = '/usr/sbin/policy-rc.d'

/**
 * Installs Debian packages quietly and with a time limit; works only as root. Services in them are not started: the
 * tests start their own, and a broker on the default port would block the demo's.
 * @param {readonly string[]} names
 * @returns {Promise<boolean>} whether they were installed
 */
export async function installPackages(names) {
  const apt = (...args) =>
    run(
      'apt-get',
      [
        '-y',
        '-qq',
        '-o',
        'DPkg::Lock::Timeout=120',
        '-o',
        'Acquire::Retries=2',
        '-o',
        'Acquire::http::Timeout=20',
        ...args,
      ],
      {
        capture: true,
        timeout: 300_000,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      },
    )
  const install = () => apt('install', '--no-install-recommends', ...names)
  const ownPolicy = !existsSync(policy)
  if (ownPolicy) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n')
    chmodSync(policy, 0o755)
  }
  try {
    if ((await install()).code === 0) return true
    // Package lists are missing in fresh containers and outdated in old ones.
    await apt('update')
    const { code, output } = await install()
    if (code !== 0) console.error(`apt-get could not install ${names.join(', ')}: ${firstAptError(output)}`)
    return code === 0
  } finally {
    if (ownPolicy) rmSync(policy, { force: true })
  }
}
