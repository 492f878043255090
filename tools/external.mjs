// `node tools/external.mjs`: installs the external programs that some tests need: Postgres 15, mosquitto and its client,
// glewlwyd, nginx, Caddy, jq, Prometheus' promtool for the alert rules, and linters for compose files, YAML and shell scripts. Programs
// that cannot be installed are listed; the tests that need them are reported as skipped.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { installPackages, isDebian, isRoot } from './debian.mjs'

const onPath = (name) =>
  [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'].some((folder) =>
    existsSync(path.join(folder, name)),
  )

function hasPostgres() {
  const versions = '/usr/lib/postgresql'
  const packaged = existsSync(versions)
    ? readdirSync(versions).map((version) => path.join(versions, version, 'bin'))
    : []
  const complete = (has) => has('postgres') && has('initdb')
  return complete(onPath) || packaged.some((folder) => complete((name) => existsSync(path.join(folder, name))))
}

const parts = [
  // Debian 12 has version 15; later releases have only their own version, which the tests accept as well.
  { name: 'Postgres', present: hasPostgres, packages: [['postgresql-15'], ['postgresql']] },
  { name: 'mosquitto', present: () => onPath('mosquitto'), packages: [['mosquitto']] },
  { name: 'mosquitto_pub', present: () => onPath('mosquitto_pub'), packages: [['mosquitto-clients']] },
  { name: 'promtool', present: () => onPath('promtool'), packages: [['prometheus']] },
  { name: 'yamllint', present: () => onPath('yamllint'), packages: [['yamllint']] },
  { name: 'shellcheck', present: () => onPath('shellcheck'), packages: [['shellcheck']] },
  { name: 'jq', present: () => onPath('jq'), packages: [['jq']] },
  { name: 'nginx', present: () => onPath('nginx'), packages: [['nginx-light'], ['nginx']] },
  { name: 'caddy', present: () => onPath('caddy'), packages: [['caddy']] },
  { name: 'docker-compose', present: () => onPath('docker-compose'), packages: [['docker-compose']] },
  { name: 'glewlwyd', present: () => onPath('glewlwyd'), packages: [['glewlwyd']] },
]

for (const { name, present, packages } of parts) {
  if (!present() && isRoot() && isDebian()) {
    console.log(`Installing ${name} …`)
    for (const names of packages) if (await installPackages(names)) break
  }
  console.log(present() ? `${name} is installed` : `${name} is missing: tests that need it are skipped`)
}
