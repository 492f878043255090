import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, CopyButton, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Connection } from '@caretaker/contract/connections.ts'
import { addConnection, updateConnection } from '@caretaker/contract/calls/connections.ts'
import { connectionKeyHeader } from '@caretaker/rules/connections/connections.ts'
import type { ConnectionKind } from '@caretaker/rules/connectors/types.ts'
import { connectionKinds } from '@caretaker/rules/connectors/types.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { IconCheck, IconCopy } from '../../../icons/index.ts'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { InfoMessage } from '../../../ui/info-message.tsx'
import { useGoTo } from '../../../ui/link.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { newSensorsPath } from '../addresses.ts'
import { connectionsQuery, refreshConnections } from '../queries.ts'
import { kindText } from '../words.ts'
import { ConnectionFields } from './connection-fields.tsx'
import type { NewSettings } from './form.ts'
import { ConnectionFormShape, formOf } from './form.ts'
import { TestPanel } from './test-panel.tsx'
import classes from './add.module.css'

const drawerWidth = 600

interface DrawerProps {
  /** The edited connection; undefined for a new one. */
  connection?: Connection
  onClose: () => void
}

/** A new connection in three steps, or the settings of an existing one. */
export function ConnectionDrawer({ connection: known, onClose }: DrawerProps) {
  const [added, setAdded] = useState<{ connection: Connection; key: string | null }>()
  return added ? (
    <AddedSteps connection={added.connection} secret={added.key} onClose={onClose} />
  ) : (
    <SettingsStep known={known} onAdded={setAdded} onClose={onClose} />
  )
}

interface SettingsStepProps {
  known: Connection | undefined
  onAdded: (added: { connection: Connection; key: string | null }) => void
  onClose: () => void
}

function SettingsStep({ known, onAdded, onClose }: SettingsStepProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const form = useValidForm({
    schema: ConnectionFormShape,
    required: { name: true },
    defaultValues: formOf(known),
  })
  const save = async ({ kind, transport, ...settings }: NewSettings) => {
    if (known) {
      await call(updateConnection, { params: { tenant, connectionId: known.id }, body: settings })
      showSuccess(`${settings.name} saved`)
      onClose()
    } else
      onAdded(
        await call(addConnection, {
          params: { tenant },
          body: { kind, transport, ...settings, downlink: settings.downlink ?? undefined },
        }),
      )
    await refreshConnections(queryClient, tenant)
  }
  const { onSubmit, status, problems } = useSubmission(
    form,
    (values) => [save(values)],
    () => {},
  )
  const isBusy = status === 'loading'
  const { isValid, isDirty } = form.formState
  return (
    <Dialog
      title={known ? `Edit ${known.name}` : 'Add connection'}
      isDrawer
      size={drawerWidth}
      busy={isBusy}
      onClose={onClose}
      form={{ noValidate: true, onSubmit: (event) => void onSubmit(event) }}
      actions={
        <>
          <CancelButton disabled={isBusy} />
          <Button type="submit" disabled={!isValid || (known && !isDirty)} loading={isBusy}>
            {known ? 'Save' : 'Add connection'}
          </Button>
        </>
      }
    >
      {known ? (
        <div className={classes.step}>
          <ConnectionFields form={form} known={known} />
        </div>
      ) : (
        <Step number={1} title="Type and name">
          <ConnectionFields form={form} />
        </Step>
      )}
      <Problems texts={problems} />
    </Dialog>
  )
}

interface AddedStepsProps {
  connection: Connection
  secret: string | null
  onClose: () => void
}

/** The address and the key, which is not shown again, and the test. */
function AddedSteps({ connection: added, secret, onClose }: AddedStepsProps) {
  const { tenant } = useActor()
  const connection = useQuery(connectionsQuery(tenant)).data?.find(({ id }) => id === added.id) ?? added
  const goTo = useGoTo()
  const [hasMessage, setMessage] = useState(false)
  return (
    <Dialog
      title="Add connection"
      isDrawer
      size={drawerWidth}
      onClose={onClose}
      actions={
        <>
          {hasMessage && (
            <span className={classes.foot} role="status">
              The sensor is ready to be added to a property.
            </span>
          )}
          <CancelButton label="Close" />
          <Button onClick={() => goTo(newSensorsPath(tenant))} disabled={!hasMessage}>
            Show new sensors
          </Button>
        </>
      }
    >
      <Step number={1} title="Type and name" isDone>
        <p className={classes.hint}>
          {connection.name}, {kindText(connection)}
        </p>
      </Step>
      {connection.webhookPath ? (
        <Webhook kind={connection.kind} path={connection.webhookPath} secret={secret} />
      ) : (
        <Step number={2} title="Broker" isDone>
          <p className={classes.hint}>
            Caretaker subscribes to {connection.broker?.topic} at {connection.broker?.url}.
          </p>
        </Step>
      )}
      <Step number={3} title="Test">
        <TestPanel connection={connection} onReceived={() => setMessage(true)} />
      </Step>
    </Dialog>
  )
}

/** The values to enter in the other system. */
const instructions: Record<ConnectionKind, string> = {
  chirpstack: 'In ChirpStack, open your application, then Integrations, HTTP. Choose JSON as the encoding.',
  'the-things-stack':
    'In the console, open your application, then Webhooks, Add webhook, Custom webhook. Choose JSON as the format.',
  zigbee2mqtt: 'Send each message with its MQTT topic in the ‘topic’ parameter of the address.',
  'generic-json': 'Send each message as JSON in a POST request.',
}

function Webhook({ kind, path, secret }: { kind: ConnectionKind; path: string; secret: string | null }) {
  const { name } = connectionKinds[kind]
  return (
    <Step
      number={2}
      title={kind === 'generic-json' ? 'Enter these values in your system' : `Enter these values in ${name}`}
    >
      <p className={classes.hint}>{instructions[kind]}</p>
      <CopyField label="Webhook address" value={`${window.location.origin}${path}`} />
      {secret && (
        <>
          <div className={classes.key}>
            <CopyField label="Header" value={connectionKeyHeader} hasNoCopy />
            <CopyField label="Key" value={secret} isSecret />
          </div>
          <InfoMessage type="warning">
            This key is shown only once. Copy it now. If it is lost, create a new key; the old one then stops working.
          </InfoMessage>
        </>
      )}
    </Step>
  )
}

interface CopyFieldProps {
  label: string
  value: string
  hasNoCopy?: boolean
  isSecret?: boolean
}

function CopyField({ label, value, hasNoCopy = false, isSecret = false }: CopyFieldProps) {
  return (
    <div className={classes.copy}>
      <TextInput
        label={label}
        value={value}
        readOnly
        data-choice
        data-secret={isSecret || undefined}
        classNames={{ input: classes.mono }}
        onFocus={(event) => event.currentTarget.select()}
      />
      {!hasNoCopy && (
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              aria-label={`${copied ? 'Copied' : 'Copy'}: ${label}`}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      )}
    </div>
  )
}

interface StepProps {
  number: number
  title: string
  isDone?: boolean
  children: ReactNode
}

function Step({ number, title, isDone = false, children }: StepProps) {
  return (
    <section className={classes.step} aria-label={title}>
      <h3>
        <i aria-hidden>{isDone ? <IconCheck size={16} /> : number}</i>
        {title}
      </h3>
      {children}
    </section>
  )
}
