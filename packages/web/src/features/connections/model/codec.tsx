import { useState } from 'react'
import { Button, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CodecTrial, CodecVersion, SensorModel } from '@caretaker/contract/connections.ts'
import {
  activateCodecVersion,
  decodeMessagesAgain,
  rollBackCodec,
  saveCodecVersion,
  tryCodecVersion,
} from '@caretaker/contract/calls/connections.ts'
import { codecLimit } from '@caretaker/rules/connections/connections.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError } from '../../../api/errors.ts'
import { IconHistory, IconPencil } from '../../../icons/index.ts'
import { dateText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { DraftNote } from '../../../ui/dialog.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { InfoMessage } from '../../../ui/info-message.tsx'
import { Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { codecsQuery, refreshConnections } from '../queries.ts'
import { countText } from '../words.ts'
import { CodecEditor } from './codec-editor.tsx'
import { CodecTrialCard } from './codec-trial.tsx'
import { markedLines } from './marked-lines.ts'
import { ModelFrame } from './model-frame.tsx'
import classes from './model.module.css'

/** The initial source of a new codec. */
const template = `function decodeUplink({ bytes, fPort, recvTime }) {
  return { data: { temperature: ((bytes[0] << 8) | bytes[1]) / 10 } }
}
`

/** The codec of a model: versions, editor, trial, activation and roll back. */
export function Codec({ model }: { model: SensorModel }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(codecsQuery(tenant, model.id))
  if (data) return <CodecView model={data.model} versions={data.results} />
  return (
    <ModelFrame model={model} tab="codec">
      {isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading the codec">
          <LoadingLines lines={8} />
        </Loading>
      )}
    </ModelFrame>
  )
}

function CodecView({ model, versions }: { model: SensorModel; versions: CodecVersion[] }) {
  const { tenant } = useActor()
  const zone = useZone()
  const queryClient = useQueryClient()
  const active = versions.find(({ isActive }) => isActive)
  const [chosenVersion, choose] = useState<number>()
  const chosen = versions.find(({ version }) => version === chosenVersion) ?? versions[0]
  const stored = chosen?.source ?? template
  const draft = useDraft(`codec ${model.id}`, { source: stored })
  const { source } = draft.values
  const isEdited = source !== stored
  const [trial, setTrial] = useState<CodecTrial>()
  const [busy, setBusy] = useState<'save' | 'try' | 'activate' | 'again' | 'back'>()
  const shownTrial = trial && trial.version === chosen?.version && !isEdited ? trial : undefined
  const size = new TextEncoder().encode(source).length
  const params = { tenant, modelId: model.id }
  const run = async (name: NonNullable<typeof busy>, work: () => Promise<void>) => {
    setBusy(name)
    try {
      await work()
    } catch (error) {
      showCallError(error)
    } finally {
      setBusy(undefined)
    }
  }
  const refresh = () => refreshConnections(queryClient, tenant)
  const save = () =>
    run('save', async () => {
      const { version } = await call(saveCodecVersion, { params, body: { source } })
      await refresh()
      draft.clear()
      choose(version)
      showSuccess(`Version ${version} saved`)
    })
  const attempt = () =>
    run('try', async () => {
      setTrial(await call(tryCodecVersion, { params: { ...params, version: chosen!.version as never } }))
      await refresh()
    })
  const activate = () =>
    run('activate', async () => {
      await call(activateCodecVersion, { params: { ...params, version: chosen!.version as never } })
      await refresh()
      showSuccess(`Version ${chosen!.version} activated`)
    })
  const rollBack = () =>
    run('back', async () => {
      const { model: changed } = await call(rollBackCodec, { params })
      await refresh()
      showSuccess(changed.activeCodec === null ? 'Rolled back' : `Rolled back to version ${changed.activeCodec}`)
    })
  const decodeAgain = () =>
    run('again', async () => {
      let [decoded, notDecoded, after] = [0, 0, undefined as string | undefined]
      // One call decodes a bounded number of messages.
      do {
        const part = await call(decodeMessagesAgain, { params, query: after ? { after } : {} })
        decoded += part.decoded
        notDecoded += part.notDecoded
        after = part.next ?? undefined
      } while (after)
      await refresh()
      showSuccess(`${countText(decoded, 'message')} decoded, ${notDecoded.toLocaleString('en-GB')} not decoded`)
    })
  const former = formerOf(versions, active)
  const isTried = chosen?.triedAt !== null && chosen?.triedAt !== undefined
  const next = (versions[0]?.version ?? 0) + 1
  const reasons = shownTrial?.messages.flatMap(({ reason }) => reason ?? []) ?? []
  return (
    <ModelFrame
      model={model}
      tab="codec"
      actions={
        <>
          {former && (
            <Button
              variant="default"
              leftSection={<IconHistory size={16} aria-hidden />}
              loading={busy === 'back'}
              onClick={() => void rollBack()}
            >
              Roll back to version {former.version}
            </Button>
          )}
          {chosen && (
            <Button
              disabled={!isTried || isEdited || chosen.isActive}
              title={isTried ? undefined : 'Try this version first'}
              loading={busy === 'activate'}
              onClick={() => void activate()}
            >
              Activate version {chosen.version}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.code}>
        <Card
          title="decodeUplink"
          aside={
            <span className={classes.chip}>
              <IconPencil size={14} aria-hidden />
              {isEdited || !chosen ? `Version ${next}, not saved` : versionText(chosen)}
            </span>
          }
          actions={
            versions.length > 0 && (
              <Select
                aria-label="Version"
                className={classes.version}
                allowDeselect={false}
                disabled={isEdited}
                data={versions.map((one) => ({ value: String(one.version), label: versionText(one) }))}
                value={String(chosen!.version)}
                onChange={(version) => choose(Number(version))}
                comboboxProps={{ withinPortal: true }}
              />
            )
          }
        >
          <p className={classes.sub}>
            {active
              ? `Active: version ${active.version}, ${active.activatedBy}, ${dateText(active.activatedAt ?? active.savedAt, zone)}`
              : `No codec is active. Messages are decoded by: ${model.decoder ?? 'nothing yet'}`}
          </p>
          <CodecEditor
            source={source}
            marked={markedLines(source, reasons)}
            onChange={(text) => draft.change({ source: text })}
            foot={
              <p className={classes.codeFoot}>
                <span data-worry={size > codecLimit || undefined}>
                  {(size / 1000).toFixed(1)} kB of {codecLimit / 1000} kB
                </span>
                <span>JavaScript, LoRa Alliance TS013</span>
                <span>Limits: 50 ms, 16 MB, result 64 kB</span>
              </p>
            }
          />
          <div className={classes.buttons}>
            {draft.isKept && isEdited && <DraftNote onDiscard={draft.clear} />}
            <Button
              variant="default"
              disabled={(!isEdited && versions.length > 0) || size > codecLimit || source.trim() === ''}
              loading={busy === 'save'}
              onClick={() => void save()}
            >
              Save as version {next}
            </Button>
          </div>
        </Card>
        <div className={classes.side}>
          {model.notDecoded > 0 && (
            <InfoMessage type="warning">
              <p>
                {model.notDecoded === 1
                  ? '1 message was not decoded.'
                  : `${model.notDecoded.toLocaleString('en-GB')} messages were not decoded.`}{' '}
                Decode them again after the codec is activated.
              </p>
              <Button
                variant="default"
                className={classes.again}
                loading={busy === 'again'}
                onClick={() => void decodeAgain()}
              >
                Decode again
              </Button>
            </InfoMessage>
          )}
          <CodecTrialCard
            trial={shownTrial}
            version={isEdited ? undefined : chosen}
            active={active}
            isBusy={busy === 'try'}
            onTry={() => void attempt()}
          />
        </div>
      </div>
    </ModelFrame>
  )
}

/** 'Version 4, draft', 'Version 3, active'. */
const versionText = ({ version, isActive, activatedAt }: CodecVersion) =>
  `Version ${version}${isActive ? ', active' : activatedAt === null ? ', draft' : ''}`

/** The version that was active before the active one. */
function formerOf(versions: readonly CodecVersion[], active: CodecVersion | undefined): CodecVersion | undefined {
  if (!active) return undefined
  return versions
    .filter(({ isActive, activatedAt }) => !isActive && activatedAt !== null)
    .toSorted((a, b) => Date.parse(b.activatedAt!) - Date.parse(a.activatedAt!))[0]
}
