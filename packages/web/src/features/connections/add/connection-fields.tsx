import type { ReactNode } from 'react'
import { PasswordInput, SegmentedControl, Textarea } from '@mantine/core'
import type { Connection } from '@caretaker/contract/connections.ts'
import type { ConnectionTransport } from '@caretaker/rules/connections/connections.ts'
import { connectionTransports } from '@caretaker/rules/connections/connections.ts'
import { usualTemplate } from '@caretaker/rules/connectors/downlink-templates.ts'
import { downlinkNeeds } from '@caretaker/rules/connectors/downlinks.ts'
import type { DownlinkNeeds } from '@caretaker/rules/connectors/downlinks.ts'
import type { ConnectionKind } from '@caretaker/rules/connectors/types.ts'
import { connectionKindNames, connectionKinds } from '@caretaker/rules/connectors/types.ts'
import { TextField, textOf, useField } from '../../../ui/forms/fields.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { kindHints, transportWords } from '../words.ts'
import type { ConnectionForm, NewSettings } from './form.ts'
import { usualTopic, usualTransport } from './form.ts'
import classes from './add.module.css'

export type SettingsForm = Form<ConnectionForm, NewSettings>

/** Kind, name and transport, followed by the fields that these need. */
export function ConnectionFields({ form, known }: { form: SettingsForm; known?: Connection | undefined }) {
  const [kind, transport] = [form.watch('kind'), form.watch('transport')]
  const needs = downlinkNeeds(kind as ConnectionKind, transport as ConnectionTransport)
  return (
    <>
      {!known && <KindCards form={form} />}
      <TextField form={form} name="name" label="Name" required first={known !== undefined} maxLength={60} />
      {!known && <Transport form={form} />}
      {transport === 'mqtt' && <BrokerFields form={form} known={known} />}
      {kind === 'generic-json' && <PathFields form={form} />}
      {(needs.url || needs.topic) && (
        <DownlinkFields form={form} kind={kind as ConnectionKind} needs={needs} known={known} />
      )}
    </>
  )
}

function KindCards({ form }: { form: SettingsForm }) {
  const kind = form.watch('kind')
  const choose = (next: string) => {
    const former = usualTopic[kind] ?? ''
    form.setValue('kind', next, { shouldValidate: true, shouldDirty: true })
    form.setValue('transport', usualTransport(next), { shouldValidate: true })
    if (form.getValues('topic') === former) form.setValue('topic', usualTopic[next] ?? '', { shouldValidate: true })
  }
  return (
    <fieldset className={classes.kinds}>
      <legend className="visually-hidden">Kind of system</legend>
      {connectionKindNames.map((one, at) => (
        <label key={one} className={classes.kind} data-chosen={one === kind || undefined}>
          <input
            type="radio"
            name="connection-kind"
            value={one}
            checked={one === kind}
            data-autofocus={at === 0 || undefined}
            onChange={() => choose(one)}
          />
          <span>
            <b>{connectionKinds[one].name}</b>
            <small>{kindHints[one]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Transport({ form }: { form: SettingsForm }) {
  const { value, change } = useField({ form, name: 'transport' })
  return (
    <div className={classes.transport}>
      <span id="connection-transport" className={classes.label}>
        How messages arrive
      </span>
      <SegmentedControl
        aria-labelledby="connection-transport"
        data={connectionTransports.map((one) => ({ value: one, label: transportWords[one] }))}
        value={textOf(value)}
        onChange={change}
      />
      <small>
        {value === 'mqtt'
          ? 'Caretaker subscribes to your broker.'
          : 'The other system sends each message to an address of Caretaker.'}
      </small>
    </div>
  )
}

function BrokerFields({ form, known }: { form: SettingsForm; known: Connection | undefined }) {
  const { hasPassword, hasAuthority, hasCertificate } = known?.broker ?? {}
  const kept = (has: boolean | undefined, what: string) => (has ? `Leave empty to keep the stored ${what}.` : undefined)
  return (
    <Group title="Broker">
      <TextField
        form={form}
        name="url"
        label="Address"
        required
        maxLength={500}
        description="For example mqtts://broker.example:8883."
      />
      <TextField form={form} name="topic" label="Topic" required maxLength={200} />
      <div className={classes.pair}>
        <TextField form={form} name="user" label="User" maxLength={200} />
        <SecretField form={form} name="password" label="Password" description={kept(hasPassword, 'password')} />
      </div>
      <details className={classes.more} open={hasAuthority || hasCertificate}>
        <summary>Certificates</summary>
        <PemField
          form={form}
          name="authority"
          label="Certificate authority"
          description={
            kept(hasAuthority, 'certificate') ?? 'Only if no public authority signed the certificate of the broker.'
          }
        />
        <PemField
          form={form}
          name="certificate"
          label="Client certificate"
          description={kept(hasCertificate, 'certificate')}
        />
        <PemField form={form} name="privateKey" label="Private key" description={kept(hasCertificate, 'key')} />
      </details>
    </Group>
  )
}

interface DownlinkProps {
  form: SettingsForm
  kind: ConnectionKind
  needs: DownlinkNeeds
  known: Connection | undefined
}

/** Where set points are sent, for thermostats; receiving messages does not require it. */
function DownlinkFields({ form, kind, needs, known }: DownlinkProps) {
  const { name } = connectionKinds[kind]
  return (
    <details className={classes.more} open={known?.downlink !== null && known !== undefined}>
      <summary>Set points of thermostats</summary>
      <p className={classes.hint}>{downlinkHint(name, needs)}</p>
      {needs.url && (
        <TextField
          form={form}
          name="downlinkUrl"
          label={needs.token ? 'API address' : 'Address for set points'}
          maxLength={500}
          description={addressHints[kind]}
        />
      )}
      {needs.topic && (
        <TextField
          form={form}
          name="downlinkTopic"
          label="Topic for set points"
          maxLength={200}
          description="For example heating/{sensor}/set. {sensor} is replaced by the id of the sensor."
        />
      )}
      {needs.url && (
        <SecretField
          form={form}
          name="downlinkToken"
          label={needs.token ? 'API token' : 'Token'}
          maxLength={2000}
          description={known?.downlink?.hasToken ? 'Leave empty to keep the stored token.' : undefined}
        />
      )}
      {needs.template && (
        <TextField
          form={form}
          name="downlinkTemplate"
          label="Message"
          maxLength={2000}
          description={`The JSON that is sent. If empty: ${usualTemplate}`}
        />
      )}
    </details>
  )
}

const addressHints: Record<ConnectionKind, string> = {
  chirpstack: 'The address of the ChirpStack REST API, for example https://chirpstack.example:8090.',
  'the-things-stack': 'For example https://eu1.cloud.thethings.network.',
  zigbee2mqtt: 'Caretaker posts the topic and the payload for Zigbee2MQTT, for example to a Node-RED flow.',
  'generic-json': 'For example https://flows.example/set-points.',
}

function downlinkHint(name: string, { token, topic }: DownlinkNeeds): string {
  if (topic)
    return 'To change set points, Caretaker publishes to your broker. Without a topic it only receives messages.'
  return `To change set points, Caretaker calls ${token ? `the API of ${name}` : 'this address'}. Without an address it only receives messages.`
}

function PathFields({ form }: { form: SettingsForm }) {
  return (
    <Group title="Paths" hint="The paths of the fields in a message, such as device.id or readings.0.value.">
      <TextField form={form} name="deviceKey" label="Sensor id" required maxLength={200} />
      <div className={classes.pair}>
        <TextField
          form={form}
          name="time"
          label="Time"
          maxLength={200}
          description="If empty, the time of receipt is used."
        />
        <TextField
          form={form}
          name="values"
          label="Values"
          maxLength={200}
          description="If empty, every number in the message is used."
        />
        <TextField
          form={form}
          name="items"
          label="Items"
          maxLength={200}
          description="An array with one entry for each sensor."
        />
        <TextField
          form={form}
          name="sequence"
          label="Counter"
          maxLength={200}
          description="Detects repeated messages."
        />
        <TextField form={form} name="maker" label="Maker" maxLength={200} />
        <TextField form={form} name="model" label="Model" maxLength={200} />
        <TextField form={form} name="sensorName" label="Name of the sensor" maxLength={200} />
      </div>
    </Group>
  )
}

function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className={classes.group}>
      <legend>{title}</legend>
      {hint && <p className={classes.hint}>{hint}</p>}
      {children}
    </fieldset>
  )
}

interface SecretProps {
  form: SettingsForm
  name: keyof ConnectionForm
  label: string
  description?: string | undefined
}

function SecretField({ form, name, label, description, maxLength = 500 }: SecretProps & { maxLength?: number }) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <PasswordInput
      ref={inputRef}
      label={label}
      description={description}
      autoComplete="new-password"
      maxLength={maxLength}
      value={textOf(value)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={error}
    />
  )
}

function PemField({ form, name, label, description }: SecretProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <Textarea
      ref={inputRef}
      classNames={{ input: classes.pem }}
      label={label}
      description={description}
      placeholder="-----BEGIN …"
      autoComplete="off"
      spellCheck={false}
      rows={3}
      maxLength={20_000}
      value={textOf(value)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={error}
    />
  )
}
