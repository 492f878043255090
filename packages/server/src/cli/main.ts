import { readFile, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import path from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { importLines } from '@caretaker/contract/import-lines.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import { UserName } from '@caretaker/contract/people.ts'
import { email as emailAddress, nameLine } from '@caretaker/contract/scalars.ts'
import type { DelayUnit, TriggerType } from '@caretaker/rules/alerts/delay.ts'
import { delayUnits, triggerTypes } from '@caretaker/rules/alerts/delay.ts'
import { families } from '@caretaker/rules/alerts/scope.ts'
import { alertableEventNames } from '@caretaker/rules/alerts/triggers.ts'
import { ruleWords } from '@caretaker/rules/alerts/words.ts'
import type { Family } from '@caretaker/rules/devices/products.ts'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { OwnDampFigures } from '@caretaker/rules/properties/damp.ts'
import { ownDampFigures } from '@caretaker/rules/properties/damp.ts'
import type { AwaabsLawFigures } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawFigureNames, awaabsLawLimits } from '@caretaker/rules/properties/awaabs-law.ts'
import { recordTypes } from '@caretaker/rules/compliance/records.ts'
import { isProduct, productCodes } from '@caretaker/rules/devices/products.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { remainingKeyLines } from '@caretaker/rules/api-keys/api-keys.ts'
import { capabilities, featureGroups, groupOf } from '@caretaker/rules/identity/features.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { storedAddresses, withInstalledAddresses } from '../addresses.ts'
import type { Config } from '../config.ts'
import { loadConfig, SettingError } from '../config.ts'
import { findRunning, lockDataDir, startEmbedded } from '../postgres/embedded.ts'
import { explainFullDisk } from '../postgres/full-disk.ts'
import { migrate, prepareSchema } from '../postgres/migrate.ts'
import { joinDatabase } from '../postgres/open.ts'
import { openDb, openPool } from '../postgres/pool.ts'
import { importPostcodes, NoPostcodes } from '../postcodes/import.ts'
import { version } from '../version.ts'
import { checkBackup, contentOf, missingLine, moveDatabase, restoreAll, restoreTenant, verifyBackup } from './backup.ts'
import { makeAndKeep, newestBackup, tryRestore } from './backup-folder.ts'
import { importFile, undoFile, writeTemplate } from './import.ts'
import type { MoveOptions } from './move-issuer.ts'
import { moveIssuer } from './move-issuer.ts'
import type { Credentials, NewResident, Operator, PlaceOptions } from './operator.ts'
import {
  OperatorError,
  addAlert,
  addDefaultAlerts,
  addAppKey,
  addDevice,
  addResident,
  addTenant,
  installDevice,
  keyOfDevice,
  keepUnknownMetrics,
  listAlerts,
  listDevices,
  listRemovals,
  listTenants,
  moveTenant,
  putDevice,
  removable,
  removeAlert,
  removeTenant,
  setCapability,
  setAwaabsLaw,
  setComplianceFigures,
  setDampFigures,
  setFeature,
  setLogo,
  suspendTenant,
} from './operator.ts'
import type { MosquittoOptions } from './mosquitto.ts'
import { exportMosquitto } from './mosquitto.ts'
import { eraseUser, inviteUser, linkUser, listUsers, removeUser, resetSecondFactor } from './users.ts'
import { renewInstallationKeys } from './keys.ts'
import { releaseSsoDomain, verifySsoDomain } from './single-sign-on.ts'

const program = new Command('caretaker')
  .description(
    "Caretaker's operator command line. It works against the running server's database, embedded or DATABASE_URL.",
  )
  .version(version)
  .showHelpAfterError()

const checked =
  <T>(schema: z.ZodType<T>, expected: string) =>
  (text: string): T => {
    const result = schema.safeParse(text)
    if (!result.success) {
      // The shape of a text explains what is wrong; for numbers and ids, `expected` is enough.
      const reason = result.error.issues.find(({ message }) => message.startsWith('must '))?.message
      throw new InvalidArgumentError(`Expected ${expected}.${reason ? ` The text ${reason}.` : ''}`)
    }
    return result.data
  }
/** Isolates a name within a line, so that a right-to-left name does not reorder the rest (Unicode Standard Annex 9). */
const isolated = (name: string) =>
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(name) ? `\u2068${name}\u2069` : name

const tenantId = checked(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  'lower-case letters, digits and hyphens, at most 40',
)
const email = checked(
  emailAddress().transform((text) => text.toLowerCase()),
  'an e-mail address',
)
const serialNumber = checked(
  z
    .string()
    .regex(/^[A-Z0-9]{6,20}$/)
    .refine((text) => splitSerialNumber(text).product !== undefined),
  `a serial number that begins with one of ${productCodes.join(', ')}`,
)
const product = checked(z.string().refine(isProduct), `one of ${productCodes.join(', ')}`)
const count = checked(z.coerce.number().int().min(1).max(100_000), 'a number from 1 to 100,000')
const wholeNumber = checked(z.coerce.number().int().min(0).max(1000), 'a whole number')
const appUserId = checked(z.string().regex(/^[\w|.@:+-]{1,200}$/), 'the id of a user of the resident app')
const deviceName = checked(
  nameLine(100).pipe(z.string().min(1, 'must not be blank')),
  'one line of at most 100 characters without a web address',
)
const clientName = checked(
  nameLine(100).pipe(z.string().min(1, 'must not be blank')),
  'one line of at most 100 characters without a web address',
)
const clientContacts = checked(nameLine(200), 'one line of at most 200 characters without a web address')
const personName = checked(UserName, 'one line of at most 100 characters without a web address')
const importId = checked(z.uuid(), 'the id of an import, as it was printed')
const json = () => new Option('--json', 'print JSON: one object per line (JSON Lines)')
const tenantOption = ['--tenant <id>', 'the client', tenantId] as const

interface NewAlert {
  tenant: string
  tag: string[]
  family: Family[]
  building: string[]
  trigger: TriggerType
  condition: string
  delay: number
  unit: DelayUnit
  to: string
  fixed?: boolean
}
const alertLine = (rule: AlertDefinition) =>
  [
    ...[rule.alertId, rule.definedByTenant ? 'own' : 'predefined', `${rule.covers}: ${ruleWords(rule)}`],
    rule.notificationTarget || 'nobody',
    ...(rule.notificationType === 'EMAILUNEDITABLE' ? ['fixed'] : []),
    ...(rule.enabled ? [] : ['switched off']),
  ].join('  ')

const signInWords = {
  invited: 'invited, has not signed in yet',
  active: 'active',
  'other provider': 'known only to another identity provider',
} as const

interface ComplianceOptions extends Partial<Figures> {
  tenant: string
  type: RecordType
  usual?: true
}

const pictureTypes: Record<string, string> = { '.svg': 'svg+xml', '.png': 'png', '.webp': 'webp' }
/** In characters. Logos are sent with every page of their client. */
const largestPicture = 100_000

/** A picture file as a data URL. */
async function picture(file: string): Promise<string> {
  const type = pictureTypes[path.extname(file).toLowerCase()]
  if (!type) throw new OperatorError(`${file} is not an SVG, PNG or WebP file.`)
  const content = await readFile(file).catch(() => {
    throw new OperatorError(`${file} cannot be read.`)
  })
  if (content.length > largestPicture) throw new OperatorError(`${file} is larger than ${largestPicture / 1000} kB.`)
  return `data:image/${type};base64,${content.toString('base64')}`
}

/** The configuration of the running command, once known. */
let configured: Config | undefined

/** Opens the database for the duration of a command. */
async function operate(work: (operator: Operator) => Promise<void>): Promise<void> {
  const config = (configured = loadConfig())
  const database = await joinDatabase(config, complain)
  const owner = openPool(database.url, 'owner', 3)
  const here = { ...config, dataDir: database.dataDir }
  configured = here
  try {
    await prepareSchema(owner, database.own)
    await work({
      config: withInstalledAddresses(here, await storedAddresses(owner), complain),
      owner,
      db: openDb(owner),
    })
  } finally {
    await owner.end()
    await database.stop()
  }
}

/** The user's answer to a question; undefined if there is no terminal. */
async function typed(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)
/** To stderr, so that other programs can read the output. */
function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

const imports = program
  .command('import')
  .usage('<file> --tenant <id> [--wishes <file>] [--yes] [--json]')
  .description(
    'import a list of properties, buildings or devices (Excel, CSV); shows a preview, and imports with --yes',
  )
const printImport = (result: Import, asJson?: true) =>
  print(asJson ? JSON.stringify(result) : importLines(result).join('\n'))
imports
  .command('file <file>', { isDefault: true })
  .description('the default command: `file` can be omitted')
  .requiredOption(...tenantOption)
  .option(
    '--wishes <file>',
    'import settings as JSON: {"sheets": [{"sheet", "headerRow", "columns"}], "answers": {field: {word: meaning}}, "takeOffers", "asWritten", "storedAddressesAsNew", "leaveHidden", "wholeRows", "chosenRows": {key: {"sheet", "row"} or null}}, in the shape of PlanImport',
  )
  .option('--yes', 'run the import')
  .addOption(json())
  .action((file: string, options: { tenant: string; wishes?: string; yes?: true; json?: true }) =>
    operate(async (operator) => {
      for await (const result of importFile(operator, { ...options, file })) printImport(result, options.json)
    }),
  )
imports
  .command('undo')
  .argument('<id>', 'as printed by the import', importId)
  .description('undo an import of the last 30 days, except items that were edited or used since')
  .requiredOption(...tenantOption)
  .addOption(json())
  .action((id: string, options: { tenant: string; json?: true }) =>
    operate(async (operator) => {
      printImport(await undoFile(operator, { ...options, id }), options.json)
    }),
  )
imports
  .command('template [file]')
  .description('write an empty workbook to fill in')
  .action(async (file = 'Caretaker import template.xlsx') => {
    await writeTemplate(file)
    print(file)
  })

const postcodes = program.command('postcodes').description('positions of postcodes')
postcodes
  .command('import <files...>')
  .description(
    'import the positions of all postcodes, replacing the last import: the ONS Postcode Directory, or all files of Code-Point Open (CSV)',
  )
  .action((files: string[]) =>
    operate(async ({ owner }) => {
      const result = await importPostcodes(owner, files).catch((error: unknown) => {
        throw error instanceof NoPostcodes ? new OperatorError(error.message) : error
      })
      const [all, changed, gone] = [result.postcodes, result.changed, result.gone].map((count) =>
        count.toLocaleString('en-GB'),
      )
      print(`${all} postcodes: ${changed} new or moved, ${gone} removed`)
    }),
  )

const device = program.command('device').description('provision devices')
const serialOption = ['--serial <serial>', 'serial number of the device', serialNumber] as const
const credentialLines = ({ username, password, mqttUrl }: Pick<Credentials, 'username' | 'password' | 'mqttUrl'>) => [
  `user name ${username}`,
  `password  ${password}`,
  `address   ${mqttUrl ?? 'not known yet'}`,
]
const keyWords = ({ state, madeAt, revokedAt }: DeviceKey) =>
  state === 'revoked'
    ? `revoked ${revokedAt}`
    : state === 'none'
      ? 'none'
      : madeAt
        ? `active since ${madeAt}`
        : 'active'
const keyLines = (key: DeviceKey) => [
  `device    ${key.deviceId}`,
  `serial    ${key.serialNumber}`,
  `key       ${keyWords(key)}`,
  `connected ${key.isConnected ? 'now' : (key.lastConnectedAt ?? 'not recorded')}`,
  `heard     ${key.lastHeard ?? 'never'}`,
  ...(key.gateway ? [`gateway   ${key.gateway.serialNumber}`] : []),
  ...(key.uninstalledAt ? [`refused   uninstalled ${key.uninstalledAt}`] : []),
]
const deviceLine = (key: DeviceKey) =>
  [
    ...[key.serialNumber, key.deviceId, key.productId, key.deviceStatus],
    key.state + (key.uninstalledAt ? ', uninstalled' : ''),
    ...[key.gateway?.serialNumber ?? '-', key.lastHeard ?? 'never heard'],
  ].join('\t')
device
  .command('add')
  .description('provision devices and print their credentials; keys are only shown once')
  .requiredOption(...tenantOption)
  .option('--serial <serial>', 'serial number of a single device', serialNumber)
  .option('--name <name>', 'name of a single device', deviceName)
  .option('--count <n>', 'number of devices to provision, with generated serial numbers', count)
  .option('--product <code>', 'product of the generated devices', product, 'EM')
  .option(
    '--status <status>',
    "initial status; 'Installed' until it has reported and, if a light, was tested",
    'Installed',
  )
  .option('--parent <serial>', 'gateway or boiler control module that it is connected through')
  .addOption(json())
  .action((options: DeviceOptions) =>
    operate(async (operator) => {
      if (!options.serial === !options.count) throw new OperatorError('Give either --serial or --count.')
      for await (const credentials of addDevice(operator, options))
        print(
          options.json
            ? JSON.stringify(credentials)
            : [
                `device    ${credentials.deviceId}`,
                `serial    ${credentials.serial}`,
                ...credentialLines(credentials),
                '',
              ].join('\n'),
        )
    }),
  )

device
  .command('install')
  .description('put a device into service; an uninstalled one may connect again')
  .requiredOption(...tenantOption)
  .requiredOption(...serialOption)
  .action((options: { tenant: string; serial: string }) =>
    operate(async (operator) => {
      await installDevice(operator, options.tenant, options.serial)
      print(`${options.serial} is installed`)
    }),
  )
device
  .command('key')
  .description(
    'show the state of a device key (never the key itself), replace it and print the new one once, or revoke it',
  )
  .requiredOption(...tenantOption)
  .requiredOption(...serialOption)
  .addOption(new Option('--replace', 'print a new key; the former one stops working immediately').conflicts('revoke'))
  .addOption(new Option('--revoke', 'disconnect the device and reject its messages until it has a new key'))
  .addOption(json())
  .action((options: { tenant: string; serial: string; replace?: true; revoke?: true; json?: true }) =>
    operate(async (operator) => {
      const { deviceKey, credentials } = await keyOfDevice(operator, options)
      if (options.json) print(JSON.stringify({ ...deviceKey, ...credentials }))
      else print([...keyLines(deviceKey), ...(credentials ? credentialLines(credentials) : [])].join('\n'))
    }),
  )
device
  .command('list')
  .description('list the devices of a client: serial, id, product, status, key, gateway, last contact')
  .requiredOption(...tenantOption)
  .addOption(json())
  .action((options: { tenant: string; json?: true }) =>
    operate(async (operator) => {
      for await (const one of listDevices(operator, options.tenant))
        print(options.json ? JSON.stringify(one) : deviceLine(one))
    }),
  )

const degrees = (most: number) => checked(z.coerce.number().min(-most).max(most), `degrees from -${most} to ${most}`)
const placeText = (max: number) => checked(nameLine(max), `one line of at most ${max} characters without a web address`)
device
  .command('place')
  .description('set the place of a device; fields not given stay unchanged, and an empty text clears a field')
  .requiredOption(...tenantOption)
  .requiredOption(...serialOption)
  .option('--building <name>', 'name of its building')
  .option('--floor <floor>', 'name or number of a floor of that building')
  .option('--property <reference>', 'reference of its property')
  .option('--room <room>', 'the room', placeText(100))
  .option('--location <location>', 'location in the property', placeText(100))
  .option('--location-details <details>', 'details of the location', placeText(200))
  .option('--lat <degrees>', 'latitude, with --long', degrees(90))
  .option('--long <degrees>', 'longitude, with --lat', degrees(180))
  .addHelpText('after', '\nUse = for southern latitudes and western longitudes: --long=-1.5')
  .action((options: PlaceOptions) =>
    operate(async (operator) => {
      if ((options.lat === undefined) !== (options.long === undefined))
        throw new OperatorError('Give --lat and --long together.')
      await putDevice(operator, options)
      print(`${options.serial} was placed`)
    }),
  )

interface DeviceOptions {
  tenant: string
  serial?: string
  name?: string
  count?: number
  product: string
  status: string
  parent?: string
  json?: boolean
}

const switches = (command: Command) =>
  command
    .addOption(new Option('--on', 'switch it on').conflicts('off'))
    .addOption(new Option('--off', 'switch it off').conflicts('on'))

const chosen = (options: { on?: boolean; off?: boolean }): boolean => {
  if (!options.on && !options.off) throw new OperatorError('Give --on or --off.')
  return options.on === true
}

switches(
  program
    .command('feature')
    .description('feature flags of a client')
    .command('set')
    .requiredOption(...tenantOption)
    .requiredOption('--name <feature>', Object.values(featureGroups).flat().join(', '))
    .option('--area <group>', Object.keys(featureGroups).join(', ')),
).action((options: { tenant: string; name: string; area?: string; on?: boolean; off?: boolean }) =>
  operate(async (operator) => {
    const group = groupOf(options.name)
    if (!group || (options.area && options.area !== group))
      throw new OperatorError(
        `There is no feature ${options.name}${options.area ? ` in ${options.area}` : ''}. See --help.`,
      )
    const on = chosen(options)
    await setFeature(operator, options.tenant, options.name as Feature, on)
    print(`${options.tenant}: ${group}.${options.name} is ${on ? 'on' : 'off'}`)
  }),
)

switches(
  program
    .command('capability')
    .description('capabilities of a client')
    .command('set')
    .requiredOption(...tenantOption)
    .addOption(new Option('--name <capability>', 'which').choices(capabilities).makeOptionMandatory()),
).action((options: { tenant: string; name: Capability; on?: boolean; off?: boolean }) =>
  operate(async (operator) => {
    const on = chosen(options)
    await setCapability(operator, options.tenant, options.name, on)
    print(`${options.tenant}: ${options.name} is ${on ? 'on' : 'off'}`)
  }),
)

const tenant = program.command('tenant').description('clients')
tenant
  .command('add')
  .requiredOption('--id <id>', 'ID in addresses and API calls', tenantId)
  .requiredOption('--name <name>', 'display name', clientName)
  .option('--contacts <text>', 'contact details', clientContacts, '')
  .option('--time-zone <zone>', 'time zone of its calendar days', 'Europe/London')
  .action((options: { id: string; name: string; contacts: string; timeZone: string }) =>
    operate(async (operator) => {
      await addTenant(operator, options)
      print(
        `${isolated(options.name)} was added. Invite its first manager: caretaker user invite --tenant ${options.id} --email … --role Manager`,
      )
    }),
  )
tenant
  .command('logo')
  .description("show a client's logo instead of its name")
  .requiredOption(...tenantOption)
  .option('--light <file>', 'SVG, PNG or WebP for a light background')
  .option('--dark <file>', 'for a dark background, if it differs')
  .option('--none', 'show the name again')
  .action((options: { tenant: string; light?: string; dark?: string; none?: boolean }) =>
    operate(async (operator) => {
      if (!options.light === !options.none) throw new OperatorError('Give either --light FILE or --none.')
      const { light, dark } = options
      await setLogo(
        operator,
        options.tenant,
        light ? { light: await picture(light), dark: dark ? await picture(dark) : null } : null,
      )
      print(`${options.tenant}: ${light ? 'its logo is shown' : 'its name is shown'}`)
    }),
  )
switches(
  tenant
    .command('unknown-metrics')
    .description('keep unknown metrics as extra series, or reject them')
    .requiredOption(...tenantOption),
).action((options: { tenant: string; on?: boolean; off?: boolean }) =>
  operate(async (operator) => {
    const areKept = chosen(options)
    await keepUnknownMetrics(operator, options.tenant, areKept)
    print(`${options.tenant}: unknown metrics are ${areKept ? 'kept' : 'rejected'}`)
  }),
)

tenant
  .command('suspend')
  .description('suspend a client; its users see the reason, its devices keep reporting')
  .requiredOption(...tenantOption)
  .requiredOption('--reason <text>', 'reason shown to its users', placeText(200))
  .action((options: { tenant: string; reason: string }) =>
    operate(async (operator) => {
      await suspendTenant(operator, options.tenant, options.reason)
      print(`${options.tenant} is suspended: ${options.reason}`)
    }),
  )
tenant
  .command('resume')
  .description('resume a suspended client')
  .requiredOption(...tenantOption)
  .action((options: { tenant: string }) =>
    operate(async (operator) => {
      await suspendTenant(operator, options.tenant, null)
      print(`${options.tenant} is resumed`)
    }),
  )
tenant
  .command('remove')
  .description(
    'delete a suspended client with its devices, readings, files, e-mails, audit log and users; this cannot be undone',
  )
  .requiredOption(...tenantOption)
  .option('--yes <id>', 'the ID of the client again, to skip the question', tenantId)
  .addHelpText(
    'after',
    '\nIt must have been suspended for CARETAKER_REMOVAL_DAYS. Keep a copy first: caretaker backup FILE --tenant ID, or its export in the portal. To continue an interrupted removal, run the command again.',
  )
  .action(({ tenant: id, yes }: { tenant: string; yes?: string }) =>
    operate(async (operator) => {
      const { name, suspendedSince, beganAt } = await removable(operator, id)
      if (beganAt) complain(`${id} has been in removal since ${beganAt.toISOString()}; continuing.`)
      else
        complain(
          `${id} (${name}) has been suspended since ${suspendedSince.toISOString()}. Its devices, properties, readings, files, e-mails, users and audit log will be deleted. This cannot be undone.\n` +
            `Keep a copy first: caretaker backup FILE --tenant ${id}, or the export of the client in the portal.`,
        )
      if ((yes ?? (await typed(`Type ${id} to remove it: `))) !== id)
        throw new OperatorError(`Nothing was removed. Give the ID of the client: --yes ${id}`)
      const { rows, files, people } = await removeTenant(operator, id, complain)
      const [many, stored, gone] = [rows, files, people].map((count) => count.toLocaleString('en-GB'))
      print(
        `${id} is removed: ${many} rows and ${stored} files deleted, ${gone} users who were members of no other client`,
      )
    }),
  )
tenant
  .command('place')
  .description('move a large client to a machine of a distributed database; writes to it wait meanwhile')
  .requiredOption(...tenantOption)
  .requiredOption(
    '--machine <host:port>',
    'as given to citus_add_node',
    checked(z.string().regex(/^\S+:\d+$/), 'HOST:PORT'),
  )
  .action(({ tenant: id, machine }: { tenant: string; machine: string }) =>
    operate(async (operator) => {
      const { before } = await moveTenant(operator, id, machine)
      print(before === machine ? `${id} is on ${machine} already` : `${id} was moved from ${before} to ${machine}`)
    }),
  )
const alert = program.command('alert').description('alert rules of a client')
alert
  .command('list')
  .description('list the alert rules of a client')
  .requiredOption(...tenantOption)
  .action(({ tenant: id }: { tenant: string }) =>
    operate(async (operator) => {
      for (const rule of await listAlerts(operator, id)) print(alertLine(rule))
    }),
  )
alert
  .command('add')
  .description('add an alert rule that the client cannot delete')
  .requiredOption(...tenantOption)
  .addOption(new Option('--family <names...>', 'covers devices of these families').choices(families).default([]))
  .option('--building <names...>', 'covers devices in these buildings', [])
  .option('--tag <names...>', 'covers devices with one of these tags; by default all devices', [])
  .addOption(new Option('--trigger <type>', 'type of trigger').choices(triggerTypes).default('ALERTABLEEVENT'))
  .requiredOption('--condition <name>', `such as FailedEquipment, NotConnected or ${alertableEventNames.join(', ')}`)
  .option('--delay <count>', 'how long the condition must last before a notification', wholeNumber, 0)
  .addOption(new Option('--unit <unit>', 'unit of the delay').choices(delayUnits).default('mins'))
  .option('--to <addresses>', 'e-mail addresses of the recipients, separated by commas; none by default', '')
  .option('--fixed', 'the client cannot change the recipients, and they cannot unsubscribe')
  .action(({ tenant: id, tag, family, building, trigger, condition, delay, unit, to, fixed = false }: NewAlert) =>
    operate(async (operator) => {
      const when = { triggerType: trigger, triggerCondition: condition, delay, delayUnit: unit }
      const covers = { families: family, buildings: building, tags: tag }
      print(alertLine(await addAlert(operator, id, { ...when, covers, notificationTarget: to, fixed })))
    }),
  )
alert
  .command('add-defaults')
  .description('add the default alert rules that a client lacks')
  .requiredOption(...tenantOption)
  .action(({ tenant: id }: { tenant: string }) =>
    operate(async (operator) => {
      for (const rule of await addDefaultAlerts(operator, id)) print(alertLine(rule))
    }),
  )
alert
  .command('remove')
  .description('delete an alert rule that was added for a client')
  .requiredOption(...tenantOption)
  .requiredOption('--id <id>', 'as shown by the list', checked(z.uuid(), 'the id of an alert'))
  .action(({ tenant: id, id: alertId }: { tenant: string; id: string }) =>
    operate(async (operator) => {
      print(alertLine(await removeAlert(operator, id, alertId)))
    }),
  )

tenant
  .command('compliance')
  .description("set the figures that determine when a client's boiler checks are due")
  .requiredOption(...tenantOption)
  .addOption(new Option('--type <type>', 'type of record').choices(recordTypes).makeOptionMandatory())
  .option('--months <count>', 'months between checks', wholeNumber)
  .option(
    '--window <count>',
    'months before the deadline in which an early check keeps the due date; 0 for none',
    wholeNumber,
  )
  .option('--notice <count>', 'days before the deadline from which it counts as due soon', wholeNumber)
  .option('--usual', 'restore the default figures')
  .action(({ tenant, type, usual, ...own }: ComplianceOptions) =>
    operate(async (operator) => {
      if (Object.keys(own).length > 0 === (usual === true))
        throw new OperatorError('Give at least one of --months, --window and --notice, or --usual.')
      const figures = await setComplianceFigures(operator, { tenant, type, own: usual ? undefined : own })
      const { months, window, notice } = figures
      print(`${tenant}: ${type} every ${months} months, window ${window} months, notice ${notice} days`)
    }),
  )
tenant
  .command('awaabs-law')
  .description("set a client's deadlines for the steps under Awaab's Law")
  .requiredOption(...tenantOption)
  .option('--investigation <days>', 'days from becoming aware to the end of the investigation', wholeNumber)
  .option('--summary <days>', 'days from the end of the investigation to sending the summary', wholeNumber)
  .option('--repairs <days>', 'days from the end of the investigation to making the property safe', wholeNumber)
  .option('--emergency <hours>', 'hours from finding an emergency to making the property safe', wholeNumber)
  .option(
    '--preventive <weeks>',
    'weeks from the end of the investigation to the start of preventive works',
    wholeNumber,
  )
  .option('--notice <days>', 'days before a deadline from which it counts as due soon', wholeNumber)
  .option('--usual', 'restore the statutory figures')
  .action(({ tenant, usual, ...own }: { tenant: string; usual?: true } & Partial<AwaabsLawFigures>) =>
    operate(async (operator) => {
      if (Object.keys(own).length > 0 === (usual === true))
        throw new OperatorError('Give at least one figure, or --usual.')
      const figures = await setAwaabsLaw(operator, tenant, usual ? undefined : own)
      const result = awaabsLawFigureNames.map((name) => `${name} ${figures[name]} ${awaabsLawLimits[name].unit}`)
      print(`${tenant}: ${result.join(', ')}`)
    }),
  )
tenant
  .command('damp')
  .description("set the figures of a client's damp and mould estimate")
  .requiredOption(...tenantOption)
  .option('--surface-factor <share>', 'temperature factor of the coldest surface (share of the room air)', Number)
  .option('--surface-humidity <percent>', 'surface humidity from which mould may grow', Number)
  .option('--watch-days <days>', 'humid days of the last seven from which a room is watched', Number)
  .option('--high-days <days>', 'humid days of the last seven from which the risk is high', Number)
  .option('--cold-most <degrees>', 'a room that stayed below it for a week is cold', Number)
  .option('--severe-mean <degrees>', 'a cold room with a mean below it is severely cold', Number)
  .option('--outside <degrees>', 'outdoor °C where it is not measured, instead of the monthly average', Number)
  .option('--usual', 'restore the default figures')
  .action(({ tenant, usual, ...own }: { tenant: string; usual?: true } & OwnDampFigures) =>
    operate(async (operator) => {
      if (Object.keys(own).length > 0 === (usual === true))
        throw new OperatorError('Give at least one figure, or --usual.')
      const figures = await setDampFigures(operator, tenant, usual ? undefined : own)
      print(`${tenant}: ${ownDampFigures.map((name) => `${name} ${figures[name]}`).join(', ')}`)
    }),
  )
tenant
  .command('list')
  .option('--removed', 'list removed clients: by whom, when, and how much')
  .addOption(json())
  .action((options: { json?: boolean; removed?: true }) =>
    operate(async (operator) => {
      if (options.removed)
        for (const row of await listRemovals(operator)) {
          const until = row.finishedAt ? `removed ${row.finishedAt.toISOString()}` : 'being removed'
          const result = `${row.id.padEnd(24)}${isolated(row.displayName)}: ${until} by ${row.by}, ${row.rows} rows, ${row.files} files, ${row.people} people`
          print(options.json ? JSON.stringify(row) : result)
        }
      else
        for (const row of await listTenants(operator))
          print(options.json ? JSON.stringify(row) : `${row.id.padEnd(24)}${isolated(row.displayName)}`)
    }),
  )

const resident = program.command('resident').description('residents and the resident app')
resident
  .command('add')
  .description('add a resident as the resident app does, pending approval')
  .requiredOption(...tenantOption)
  .requiredOption('--user-id <id>', 'user ID in the resident app', appUserId)
  .requiredOption('--email <email>', 'their e-mail', email)
  .requiredOption('--name <name>', 'their name')
  .requiredOption('--property <reference>', 'reference of the property')
  .requiredOption('--postcode <postcode>', 'its postcode')
  .option('--approved', 'approve them immediately')
  .action((options: NewResident) =>
    operate(async (operator) => {
      await addResident(operator, options)
      print(`${options.name} ${options.approved ? 'is approved' : 'waits for approval'} at ${options.property}`)
    }),
  )
resident
  .command('key')
  .description('create a key for the resident app; it is only shown once')
  .requiredOption(...tenantOption)
  .option('--instead', 'revoke all former keys')
  .action((options: { tenant: string; instead?: true }) =>
    operate(async (operator) => {
      print(await addAppKey(operator, options.tenant, options.instead === true))
    }),
  )

const sso = program.command('sso').description('single sign-on of clients')

const domainOption = [
  '--domain <domain>',
  'the domain',
  checked(z.string().trim().toLowerCase().min(1), 'a domain'),
] as const

sso
  .command('verify-domain')
  .description('make a client the owner of an e-mail domain that it has added, without a DNS record')
  .requiredOption(...tenantOption)
  .requiredOption(...domainOption)
  .action((options: { tenant: string; domain: string }) =>
    operate(async (operator) => {
      await verifySsoDomain(operator, options)
      print(`${options.domain} belongs to ${options.tenant} now.`)
    }),
  )

sso
  .command('release-domain')
  .description(
    'take an e-mail domain from a client, so that its people can use passwords and another client can verify it',
  )
  .requiredOption(...tenantOption)
  .requiredOption(...domainOption)
  .action((options: { tenant: string; domain: string }) =>
    operate(async (operator) => {
      await releaseSsoDomain(operator, options)
      print(`${options.domain} belongs to no client now.`)
    }),
  )

program
  .command('renew-keys')
  .description('replace the keys of the embedded identity provider; everyone has to sign in again')
  .action(() =>
    operate(async (operator) => {
      await renewInstallationKeys(operator)
      print('The keys are replaced. Restart all processes of Caretaker now: until then they use the former ones.')
    }),
  )

const user = program.command('user').description('members of clients and their sign-in')
const emailOption = ['--email <email>', 'their e-mail', email] as const

user
  .command('invite')
  .description(
    'add a member, or invite one again who has not signed in yet; with the embedded identity provider, print the link to choose a password',
  )
  .requiredOption(...tenantOption)
  .requiredOption(...emailOption)
  .option('--name <name>', 'their name', personName)
  .addOption(
    new Option('--role <role>', 'role; a member who is invited again keeps theirs').choices(roles).default('Manager'),
  )
  .addOption(json())
  .action((options: { tenant: string; email: string; name?: string; role: Role; json?: boolean }) =>
    operate(async (operator) => {
      const { link, role, again } = await inviteUser(operator, { ...options, name: options.name ?? options.email })
      const invited = `${options.email} is invited${again ? ` again, as ${role}` : ''}`
      if (options.json) print(JSON.stringify({ email: options.email, link: link ?? null }))
      else print(link ? `${invited}. Password link, valid for 3 days:\n${link}` : `${invited} and may sign in.`)
    }),
  )
user
  .command('link')
  .description('print a new password link for a member (embedded identity provider); former links stop working')
  .requiredOption(...tenantOption)
  .requiredOption(...emailOption)
  .addOption(json())
  .action((options: { tenant: string; email: string; json?: boolean }) =>
    operate(async (operator) => {
      const made = await linkUser(operator, options)
      print(options.json ? JSON.stringify(made) : `Password link for ${made.email}, valid for 3 days:\n${made.link}`)
    }),
  )
user
  .command('reset-second-factor')
  .description('remove the passkeys, authenticator app and recovery codes of a member (embedded identity provider)')
  .requiredOption(...tenantOption)
  .requiredOption(...emailOption)
  .action((options: { tenant: string; email: string }) =>
    operate(async (operator) => {
      const wasReset = await resetSecondFactor(operator, options)
      print(wasReset ? `The second factor of ${options.email} was reset.` : `${options.email} has no second factor.`)
    }),
  )
user
  .command('list')
  .description('list the members of a client, or of all, and whether they have signed in')
  .option(...tenantOption)
  .addOption(new Option('--json', 'print JSON, one line for each'))
  .action((options: { tenant?: string; json?: boolean }) =>
    operate(async (operator) => {
      for await (const one of listUsers(operator, options.tenant))
        print(
          options.json
            ? JSON.stringify(one)
            : [one.tenant, one.email, one.name, one.role, signInWords[one.signIn]].join('  '),
        )
    }),
  )
user
  .command('remove')
  .description('remove a member from a client, and list the API keys that they created, which keep working')
  .requiredOption(...tenantOption)
  .requiredOption(...emailOption)
  .addOption(json())
  .action((options: { tenant: string; email: string; json?: boolean }) =>
    operate(async (operator) => {
      const apiKeys = await removeUser(operator, options)
      if (options.json) print(JSON.stringify({ email: options.email, apiKeys }))
      else {
        print(`${options.email} is no longer a member of ${options.tenant}`)
        for (const line of remainingKeyLines(options.email, apiKeys)) print(line)
      }
    }),
  )
user
  .command('erase')
  .description('erase the personal data of someone who belongs to no client any more: account, sessions, e-mails, name')
  .requiredOption(...emailOption)
  .addOption(json())
  .action((options: { email: string; json?: boolean }) =>
    operate(async (operator) => {
      const { people, mails, auditEntries } = await eraseUser(operator, options.email)
      if (options.json) print(JSON.stringify({ email: options.email, people, mails, auditEntries }))
      else
        print(
          `${options.email} was erased: ${people ? 'the person' : 'no person found'}, the account, ${mails} e-mails`,
        )
      for (const [tenant, entries] of Object.entries(auditEntries))
        print(`  ${tenant}: ${entries} audit entries keep the name, as evidence of what was done`)
    }),
  )
user
  .command('move-issuer')
  .description(
    'move the members of an identity provider to another one: immediately if their new subject is known, otherwise at their first sign-in with the same verified e-mail',
  )
  .requiredOption('--from <issuer>', "the issuer they signed in with; 'embedded' for the embedded one")
  .requiredOption('--to <issuer>', "the issuer of OIDC_ISSUER; 'embedded' for the embedded one")
  .option('--email <email>', 'move only this person', email)
  .addOption(
    new Option(
      '--subject-map <file>',
      'lines of an e-mail or a former subject, a comma, and the new subject',
    ).conflicts('email'),
  )
  .option('--dry-run', 'only show what would be done')
  .addOption(new Option('--json', 'print JSON, one line for each'))
  .action((options: MoveOptions & { json?: true }) =>
    operate(async (operator) => {
      const counts = { moved: 0, 'at the first sign-in': 0, 'not moved': 0 }
      for await (const one of moveIssuer(operator, options)) {
        counts[one.outcome]++
        const { email: who, clients, outcome, note } = one
        print(
          options.json
            ? JSON.stringify(one)
            : `${outcome.padEnd(20)}  ${who}${clients.length ? ` (${clients.join(', ')})` : ''}${note ? `: ${note}` : ''}`,
        )
      }
      if (!options.json)
        print(
          `${counts.moved} ${options.dryRun ? 'would be moved' : 'moved'}, ${counts['at the first sign-in']} at their first sign-in, ${counts['not moved']} not moved`,
        )
    }),
  )

program
  .command('migrate')
  .description('migrate the database to the newest schema')
  .action(async () => {
    const config = (configured = loadConfig())
    const database = await joinDatabase(config, complain)
    const owner = openPool(database.url, 'owner', 1)
    try {
      const applied = await migrate(owner, { report: complain })
      print(applied.length ? `Applied ${applied.join(', ')}` : 'The database is up to date')
    } finally {
      await owner.end()
      await database.stop()
    }
  })

program
  .command('mqtt')
  .description('external MQTT brokers')
  .command('export-acl')
  .description('write the password and access control files of mosquitto, `passwords` and `acl`, for all devices')
  .requiredOption('--mosquitto <folder>', 'the folder of the files; your own users and lines in them stay')
  .option('--watch', 'continue, and write again when devices or their keys change')
  .option('--reload <command>', 'the command that makes mosquitto read the files, after each change')
  .action((options: MosquittoOptions) =>
    operate((operator) => {
      const ending = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
      return exportMosquitto(operator, options, { print, complain }, ending.signal)
    }),
  )

const backups = program
  .command('backup')
  .usage('<file> [--tenant <id>] [--keep <count>]')
  .description('back up everything, or one client, into a file while the product runs, and check the file')
backups
  .command('file <file>', { isDefault: true })
  .description('the default command: `file` can be omitted. In a folder the file is named after the time')
  .option('--tenant <id>', 'back up only this client', tenantId)
  .option('--keep <count>', 'how many backups stay in the folder; older ones are deleted', count)
  .action((file: string, options: { tenant?: string; keep?: number }) =>
    operate(async (operator) => {
      const { lines, missing } = await makeAndKeep(operator, { file, ...options })
      lines.forEach(print)
      if (!missing.length) return
      complain(missingLine(missing))
      process.exitCode = 1
    }),
  )
backups
  .command('verify <file>')
  .description(
    'check that this version can restore a backup, or the newest one in a folder, and show its content; needs no database',
  )
  .option('--restore', 'also restore it into a temporary database of its own, and record the time for /metrics')
  .action(async (place: string, options: { restore?: true }) => {
    if (!options.restore) return (await verifyBackup(await newestBackup(place))).forEach(print)
    return operate(async (operator) => {
      const ending = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
      print(await tryRestore(operator, place, complain, ending.signal))
    })
  })

program
  .command('restore <file>')
  .description(
    'restore a backup: of everything into an empty database, while the product is stopped; of one client into an installation that may be running',
  )
  .option('--tenant <id>', 'the client whose backup it must be', tenantId)
  .option('--replace', 'delete the current content of the database; for a backup of everything')
  .action(async (file: string, options: { tenant?: string; replace?: true }) => {
    const backup = await checkBackup({ file, ...options }, complain)
    try {
      configured = loadConfig()
      if (backup.manifest.tenant === null) await restoreAll(configured, backup, { ...options, report: complain })
      else await operate((operator) => restoreTenant(operator, backup, complain))
      print(`Restored ${contentOf(backup.manifest)}`)
    } finally {
      backup.archive.close()
    }
  })

program
  .command('move-database')
  .argument(
    '<url>',
    'address of the other database',
    checked(z.url({ protocol: /^postgres(ql)?$/ }), 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'),
  )
  .description(
    'move everything into another database, plain or distributed, while the product is stopped; files stay in their store',
  )
  .option('--dry-run', 'only show what would be moved, and what prevents it')
  .action((url: string, { dryRun = false }: { dryRun?: boolean }) =>
    operate(async (operator) => {
      print(await moveDatabase(operator, { url, dryRun }, complain))
    }),
  )

program
  .command('reset')
  .description('delete the data folder and start with a new demo; make a backup first')
  .action(async () => {
    const { dataDir, databaseUrl } = loadConfig()
    if (databaseUrl) throw new OperatorError('DATABASE_URL is set: that database is not deleted by this command.')
    // A running server holds the lock: its data must not be deleted.
    const unlock = lockDataDir(dataDir)
    if (await findRunning(dataDir)) await (await startEmbedded(dataDir)).stop()
    unlock()
    await rm(dataDir, { recursive: true, force: true })
    print(`${dataDir} was deleted`)
  })

await program.parseAsync().catch((error: unknown) => {
  const known = error instanceof OperatorError || error instanceof SettingError
  const full = configured && explainFullDisk(error, configured)
  process.stderr.write(`${full ?? (known ? error.message : error instanceof Error ? error.stack : String(error))}\n`)
  process.exitCode = 1
})
