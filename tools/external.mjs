// `node tools/external.mjs`: makes sure of the parts that some tests run against besides the embedded ones, a Postgres 15, a mosquitto and its client,
// a glewlwyd, an nginx, a jq, Prometheus' promtool, which reads the alert rules, and what reads compose files, YAML and shell scripts.
// What cannot be installed here is named, and the tests that need it say that they were skipped.
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
  // Debian 12 has 15; a later one has only its own version, which the tests accept as well.
  { name: 'Postgres', present: hasPostgres, packages: [['postgresql-15'], ['postgresql']] },
  { name: 'mosquitto', present: () => onPath('mosquitto'), packages: [['mosquitto']] },
  { name: 'mosquitto_pub', present: () => onPath('mosquitto_pub'), packages: [['mosquitto-clients']] },
  { name: 'promtool', present: () => onPath('promtool'), packages: [['prometheus']] },
  { name: 'yamllint', present: () => onPath('yamllint'), packages: [['yamllint']] },
  { name: 'shellcheck', present: () => onPath('shellcheck'), packages: [['shellcheck']] },
  { name: 'jq', present: () => onPath('jq'), packages: [['jq']] },
  { name: 'nginx', present: () => onPath('nginx'), packages: [['nginx-light'], ['nginx']] },
  { name: 'docker-compose', present: () => onPath('docker-compose'), packages: [['docker-compose']] },
  { name: 'glewlwyd', present: () => onPath('glewlwyd'), packages: [['glewlwyd']] },
]

for (const { name, present, packages } of parts) {
  if (!present() && isRoot() && isDebian()) {
    console.log(`Installing ${name} …`)
    for (const names of packages) if (await installPackages(names)) break
  }
  console.log(present() ? `${name} is here` : `${name} is not here: the tests that need it will be skipped`)
}
