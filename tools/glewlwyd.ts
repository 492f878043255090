/** The tests' external identity provider: Glewlwyd from Debian, which knows nothing about the product. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

const program = '/usr/bin/glewlwyd'
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'

/** The reason why tests cannot sign in at an external provider here; undefined if Glewlwyd is available. */
export const withoutGlewlwyd = [program, schema].every((file) => existsSync(file))
  ? undefined
  : 'glewlwyd is not installed'

export interface GlewlwydSettings {
  port: number
  /** Parameters of its OpenID Connect plugin, without keys. */
  plugin: object
  client: { client_id: string; scope: readonly string[]; [name: string]: unknown }
  /** Origins whose pages may call it. */
  allowOrigin?: string
}

export interface Glewlwyd {
  origin: string
  issuer: string
  password: string
  addPerson(username: string, more?: object): Promise<void>
  stop(): Promise<void>
}

/** The issuer of a Glewlwyd that listens on a port. */
export const issuerAt = (port: number) => `http://localhost:${port}/api/oidc`

/**
 * Starts Glewlwyd with one client, its scopes, and no users. A user's property `email-verified` can be released as a
 * claim.
 */
export async function startGlewlwyd({ port, plugin, client, allowOrigin = '*' }: GlewlwydSettings): Promise<Glewlwyd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-glewlwyd-'))
  const origin = `http://localhost:${port}`
  const database = path.join(folder, 'db')
  const made = new DatabaseSync(database)
  made.exec(readFileSync(schema, 'utf8'))
  made.exec(
    `update g_user_module_instance set gumi_parameters =
       json_set(gumi_parameters, '$."data-format"."email-verified"', json('{"multiple":false,"read":true,"write":true}'))`,
  )
  made.close()
  writeFileSync(path.join(folder, 'settings'), settings({ origin, port, database, allowOrigin }))
  const provider = spawn(program, [`--config-file=${path.join(folder, 'settings')}`], { stdio: 'ignore' })
  const stop = async () => {
    provider.kill()
    if (provider.exitCode === null) await once(provider, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  const jar = new Map<string, string>()
  const call = async (method: string, where: string, body: object) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(`${origin}/api/${where}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      jar.set(name!, value!)
    }
    if (!response.ok) throw new Error(`glewlwyd: ${method} ${where}: ${response.status} ${await response.text()}`)
  }
  for (let tries = 0; !(await fetch(`${origin}/config`).catch(() => undefined)); tries++) {
    if (provider.exitCode !== null || tries > 200) throw new Error(`glewlwyd does not start: ${provider.exitCode}`)
    await sleep(50)
  }
  const password = 'a long password'
  try {
    await call('POST', 'auth/', { username: 'admin', password: 'password' })
    await call('POST', 'mod/plugin/', {
      ...{ module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', enabled: true },
      parameters: { ...plugin, ...newKey() },
    })
    for (const name of client.scope.filter((one) => one !== 'openid'))
      await call('POST', 'scope/', { ...scope(name), password_required: false })
    await call('PUT', 'scope/openid', { ...scope('openid'), password_required: true, password_max_age: 0 })
    await call('POST', 'client/', client)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    origin,
    issuer: issuerAt(port),
    password,
    addPerson: (username, more = {}) =>
      call('POST', 'user/', {
        ...{ username, password, name: username, email: `${username}@elsewhere.test`, enabled: true },
        scope: [...client.scope, 'g_profile'],
        ...more,
      }),
    stop,
  }
}

const scope = (name: string) => ({ name, display_name: name, scheme: {} })

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
  }
}

interface Places {
  origin: string
  port: number
  database: string
  allowOrigin: string
}

const settings = ({ origin, port, database, allowOrigin }: Places) => `
port=${port}
bind_address="127.0.0.1"
external_url="${origin}"
login_url="login.html"
api_prefix="api"
static_files_path="/usr/share/glewlwyd/webapp/"
static_files_mime_types=({ extension=".html" mime_type="text/html" compress=0 })
allow_origin="${allowOrigin}"
allow_methods="GET, POST, PUT, DELETE, OPTIONS"
allow_headers="Origin, X-Requested-With, Content-Type, Accept, Authorization"
log_mode="console"
log_level="ERROR"
cookie_domain="localhost"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
user_middleware_module_path="/usr/lib/glewlwyd/user_middleware"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={ type="sqlite3" path="${database}" };
`
