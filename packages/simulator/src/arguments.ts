import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Fleet } from '@caretaker/contract/mqtt/fleet.ts'

export interface Arguments {
  fleet: string
  url: string
  /** The address of the portal, for sensors of connections; without it they are not simulated. */
  web?: string
  speed: number
  seed: string
}

export const usage =
  'usage: main.ts --fleet FILE --url mqtt://HOST:PORT [--web http://HOST:PORT] [--speed 1] [--seed caretaker]'

/** An invalid argument or file; the message is one line with the reason. */
export class WrongInput extends Error {}

/** Parses the command line. @throws {WrongInput} */
export function parseArguments(argv: string[]): Arguments {
  const values = optionsOf(argv)
  if (!values.fleet) throw new WrongInput(`--fleet is missing; ${usage}`)
  if (!values.url) throw new WrongInput(`--url is missing; ${usage}`)
  if (!/^mqtts?:$/.test(URL.parse(values.url)?.protocol ?? ''))
    throw new WrongInput(`--url must look like mqtt://127.0.0.1:1883, not ${values.url}`)
  if (values.web !== undefined && !/^https?:$/.test(URL.parse(values.web)?.protocol ?? ''))
    throw new WrongInput(`--web must look like http://127.0.0.1:8080, not ${values.web}`)
  const speed = Number(values.speed)
  if (!(speed > 0 && speed <= 10_000))
    throw new WrongInput(`--speed must be above 0 and at most 10000, not ${values.speed}`)
  return { fleet: values.fleet, url: values.url, ...(values.web && { web: values.web }), speed, seed: values.seed }
}

function optionsOf(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        fleet: { type: 'string' },
        url: { type: 'string' },
        web: { type: 'string' },
        speed: { type: 'string', default: '1' },
        seed: { type: 'string', default: 'caretaker' },
      },
    }).values
  } catch (error) {
    throw new WrongInput(`${(error as Error).message.split('.')[0]}; ${usage}`)
  }
}

/** Reads and validates a fleet file. @throws {WrongInput} */
export function readFleet(file: string): Fleet {
  const parsed = Fleet.safeParse(jsonOf(file))
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  const more = parsed.error.issues.length - 1
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  throw new WrongInput(`${file} is no fleet: ${where}${message}${more > 0 ? ` (and ${more} more)` : ''}`)
}

function jsonOf(file: string): unknown {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new WrongInput(`cannot read the fleet file ${file}: ${code === 'ENOENT' ? 'there is none' : code}`)
  }
  try {
    return JSON.parse(content)
  } catch {
    // The JSON parser's message would quote the file, which contains passwords.
    throw new WrongInput(`${file} is no fleet: not JSON`)
  }
}
