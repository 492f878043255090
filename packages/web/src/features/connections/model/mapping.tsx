import { useState } from 'react'
import { Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { MappingRow, SensorMapping } from '@caretaker/contract/connections.ts'
import { restoreMappingSuggestions, saveSensorMapping } from '@caretaker/contract/calls/connections.ts'
import { unitsOf } from '@caretaker/rules/connectors/units.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError } from '../../../api/errors.ts'
import { Json } from '../../../device-page/messages/json.tsx'
import { IconAlertTriangleFilled, IconArrowRight, IconInfoCircle } from '../../../icons/index.ts'
import { dateTimeText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { LeaveQuestion } from '../../../ui/leave-question.tsx'
import { Empty } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { mappingQuery, refreshConnections } from '../queries.ts'
import { countText } from '../words.ts'
import { ModelFrame } from './model-frame.tsx'
import {
  allRows,
  changesOf,
  extraRow,
  longestName,
  optionOf,
  resultOf,
  targetOptions,
  targetText,
  withOption,
} from './rows.ts'
import classes from './model.module.css'

/** The mapping of a model: which value becomes which metric, in which unit and multiplied by which factor. */
export function Mapping({ mapping }: { mapping: SensorMapping }) {
  const { model, version, savedAt, savedBy } = mapping
  const actor = useActor()
  const { tenant } = actor
  const zone = useZone()
  const queryClient = useQueryClient()
  const [edited, setEdited] = useState<Record<string, MappingRow>>({})
  const [factors, setFactors] = useState<Record<string, string>>({})
  const [isBusy, setBusy] = useState(false)
  const manages = can(actor, 'manage connections')
  const saved = allRows(mapping)
  const rows = saved.map((row) => edited[row.path] ?? row)
  const changes = changesOf(saved, rows)
  const used = rows.filter(({ to }) => to !== 'unused')
  const unused = rows.filter(({ to }) => to === 'unused')
  const wrong = rows.filter((row) => faultOf(row, factors[row.path]) !== undefined)
  const change = (row: MappingRow) => setEdited((before) => ({ ...before, [row.path]: row }))
  const forget = () => {
    setEdited({})
    setFactors({})
  }
  const run = async (what: Promise<SensorMapping>, done: string) => {
    setBusy(true)
    try {
      const next = await what
      forget()
      queryClient.setQueryData(mappingQuery(tenant, model.id).queryKey, next)
      void refreshConnections(queryClient, tenant)
      showSuccess(done)
    } catch (error) {
      showCallError(error)
    } finally {
      setBusy(false)
    }
  }
  const params = { tenant, modelId: model.id }
  const standing = [
    version === 0 || !savedAt ? 'Suggested by name and unit' : `Saved by ${savedBy}, ${dateTimeText(savedAt, zone)}`,
    changes.length > 0 && countText(changes.length, 'unsaved change'),
  ]
  const tableRow = (row: MappingRow) => (
    <Row
      key={row.path}
      row={row}
      suggestion={mapping.suggestions.find(({ path }) => path === row.path)}
      value={mapping.lastMessage?.values[row.path]}
      factor={factors[row.path]}
      isFixed={!manages}
      onChange={change}
      onFactor={(text) => setFactors((before) => ({ ...before, [row.path]: text }))}
    />
  )
  return (
    <ModelFrame
      model={model}
      tab="mapping"
      actions={
        manages && (
          <>
            <Button
              variant="default"
              disabled={isBusy || (version === 0 && changes.length === 0)}
              onClick={() =>
                version === 0 ? forget() : void run(call(restoreMappingSuggestions, { params }), 'Suggestions restored')
              }
            >
              Restore suggestions
            </Button>
            <Button
              disabled={changes.length === 0 || wrong.length > 0}
              loading={isBusy}
              onClick={() => void run(call(saveSensorMapping, { params, body: { version, rows } }), 'Mapping saved')}
            >
              Save mapping
            </Button>
          </>
        )
      }
    >
      <LeaveQuestion isUnsaved={changes.length > 0} />
      <div className={classes.beside}>
        <Card
          title="Values of this model"
          aside={
            <span className={classes.dimmed}>
              {used.length} mapped, {unused.length} not used
            </span>
          }
          actions={
            <span className={classes.dimmed} role="status">
              {standing.filter(Boolean).join('; ')}
            </span>
          }
        >
          {rows.length === 0 ? (
            <Empty text="No values yet" hint="The values of this model appear here with its first decoded message." />
          ) : (
            <div className={classes.scroll}>
              <table className={classes.mapping} aria-label="Mapping">
                <thead>
                  <tr>
                    <th>Path</th>
                    <th>Metric, state or event</th>
                    <th>Unit</th>
                    <th>Factor</th>
                    <th data-align="end">Last value</th>
                    <th>Reading</th>
                  </tr>
                </thead>
                <tbody>{used.map(tableRow)}</tbody>
                {unused.length > 0 && (
                  <tbody>
                    <tr className={classes.band}>
                      <th colSpan={6} scope="rowgroup">
                        <span>
                          <IconInfoCircle size={18} aria-hidden />
                          {unused.length === 1
                            ? '1 value of this sensor is not used'
                            : `${unused.length} values of this sensor are not used`}
                          {manages && (
                            <Button
                              variant="default"
                              size="compact-sm"
                              onClick={() => unused.forEach(({ path }) => change(extraRow(path)))}
                            >
                              {unused.length === 1
                                ? 'Keep it as an extra metric'
                                : `Keep all ${unused.length} as extra metrics`}
                            </Button>
                          )}
                        </span>
                      </th>
                    </tr>
                    {unused.map(tableRow)}
                  </tbody>
                )}
              </table>
            </div>
          )}
        </Card>
        <div className={classes.side}>
          <LastMessage mapping={mapping} />
          {changes.length > 0 && (
            <Card title="Effect of the change">
              <ul className={classes.changes}>
                {changes.map(({ path, from, to }) => (
                  <li key={path}>
                    <b>{path}</b>: {from} to {to}
                  </li>
                ))}
              </ul>
              <p>
                It applies to new messages of{' '}
                {model.sensors === 1 ? 'the sensor' : `all ${countText(model.sensors, 'sensor')}`}. Readings already
                stored stay unchanged.
              </p>
            </Card>
          )}
        </div>
      </div>
    </ModelFrame>
  )
}

const largestFactor = 1e9

/** Why a row cannot be saved. */
function faultOf(row: MappingRow, typed: string | undefined): string | undefined {
  if (row.to === 'extra' && row.name.trim() === '') return 'Name is required!'
  if (row.to !== 'metric' && row.to !== 'extra') return undefined
  return typed === undefined || factorIn(typed) !== undefined ? undefined : 'Enter a number other than 0'
}

function factorIn(text: string): number | undefined {
  const number = Number(text.trim().replace(',', '.').replace('−', '-'))
  return text.trim() !== '' && number !== 0 && Math.abs(number) <= largestFactor ? number : undefined
}

interface RowProps {
  row: MappingRow
  suggestion: MappingRow | undefined
  value: number | string | boolean | undefined
  /** The factor as typed; undefined until it is edited. */
  factor: string | undefined
  isFixed: boolean
  onChange: (row: MappingRow) => void
  onFactor: (text: string) => void
}

function Row({ row, suggestion, value, factor, isFixed, onChange, onFactor }: RowProps) {
  const { text, isRejected } = resultOf(row, value)
  const fault = faultOf(row, factor)
  const units = row.to === 'metric' ? unitsOf(row.metric) : []
  const hasFactor = row.to === 'metric' || row.to === 'extra'
  const isSuggested = suggestion !== undefined && suggestion.to !== 'unused'
  return (
    <tr data-unused={row.to === 'unused' || undefined}>
      <th scope="row">
        <code>{row.path}</code>
      </th>
      <td>
        <Select
          aria-label={`Metric, state or event: ${row.path}`}
          data={targetOptions}
          allowDeselect={false}
          searchable
          disabled={isFixed}
          value={optionOf(row)}
          onChange={(option) => option && onChange(withOption(row, option, suggestion))}
          comboboxProps={{ withinPortal: true, width: 260, position: 'bottom-start' }}
        />
      </td>
      {row.to === 'unused' ? (
        <td colSpan={2} className={classes.dimmed}>
          {isSuggested ? `Suggested: ${targetText(suggestion)}` : 'No metric with this name'}
        </td>
      ) : (
        <>
          <td>
            {row.to === 'metric' && units.length > 1 && (
              <Select
                aria-label={`Unit: ${row.path}`}
                data={units}
                allowDeselect={false}
                disabled={isFixed}
                value={row.unit}
                onChange={(unit) => unit !== null && onChange({ ...row, unit })}
                comboboxProps={{ withinPortal: true }}
              />
            )}
            {row.to === 'metric' && units.length === 1 && row.unit}
            {row.to === 'extra' && (
              <TextInput
                aria-label={`Name: ${row.path}`}
                maxLength={longestName}
                disabled={isFixed}
                value={row.name}
                error={row.name.trim() === '' && fault}
                onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
              />
            )}
          </td>
          <td>
            {hasFactor && (
              <TextInput
                className={classes.factor}
                aria-label={`Factor: ${row.path}`}
                inputMode="decimal"
                disabled={isFixed}
                value={factor ?? String(row.factor)}
                error={factor !== undefined && factorIn(factor) === undefined && fault}
                onChange={(event) => {
                  const typed = event.currentTarget.value
                  onFactor(typed)
                  const number = factorIn(typed)
                  if (number !== undefined) onChange({ ...row, factor: number })
                }}
              />
            )}
          </td>
        </>
      )}
      <td data-align="end">
        <code>{value === undefined ? '' : String(value)}</code>
      </td>
      <td data-rejected={isRejected}>
        <span className={classes.result}>
          {row.to !== 'unused' && !isRejected && <IconArrowRight size={14} aria-hidden />}
          {isRejected && <IconAlertTriangleFilled size={14} aria-hidden />}
          <span>{text}</span>
        </span>
      </td>
    </tr>
  )
}

function LastMessage({ mapping: { lastMessage } }: { mapping: SensorMapping }) {
  const zone = useZone()
  return (
    <Card title="Last message">
      {lastMessage ? (
        <>
          <p className={classes.sub}>
            {lastMessage.deviceName || lastMessage.deviceKey}, {dateTimeText(lastMessage.at, zone)}
          </p>
          <pre className={classes.block}>
            <Json value={lastMessage.values} />
          </pre>
        </>
      ) : (
        <p className={classes.sub}>No message of this model has been decoded yet.</p>
      )}
    </Card>
  )
}
