import { Autocomplete } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewSensor } from '@caretaker/contract/connections.ts'
import { chooseSensorModel } from '@caretaker/contract/calls/connections.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textOf, useField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { z } from '../../../ui/zod.ts'
import { refreshConnections, sensorModelsQuery } from '../queries.ts'

const longest = 60
const ModelForm = z.object({ maker: z.string().trim().max(longest), model: z.string().trim().max(longest) })
type Values = z.output<typeof ModelForm>

/** Sets the maker and model of a sensor that does not report them. */
export function ChooseModelDialog({ sensor, onClose }: { sensor: NewSensor; onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const models = useQuery(sensorModelsQuery(tenant)).data ?? []
  const form: Form<Values> = useValidForm({
    schema: ModelForm,
    required: { maker: true, model: true },
    defaultValues: { maker: sensor.maker ?? '', model: sensor.model ?? '' },
  })
  const choose = async (body: Values) => {
    await call(chooseSensorModel, { params: { tenant }, body: { sensorIds: [sensor.id], ...body } })
    await refreshConnections(queryClient, tenant)
    showSuccess(`${sensor.deviceKey} is ${body.maker} ${body.model}`)
  }
  const submission = useSubmission(form, (values) => [choose(values)], onClose)
  const maker = form.watch('maker').trim().toLowerCase()
  return (
    <FormDialog
      title={`Choose the model of ${sensor.deviceKey}`}
      verb="Save"
      form={form}
      submission={submission}
      onClose={onClose}
    >
      <p>Sensors of one model have the same mapping and the same codec. A model that is not in the list is added.</p>
      <NameField form={form} name="maker" label="Maker" data={models.map((one) => one.maker)} first />
      <NameField
        form={form}
        name="model"
        label="Model"
        data={models.filter((one) => one.maker.toLowerCase() === maker).map((one) => one.model)}
      />
    </FormDialog>
  )
}

interface NameFieldProps {
  form: Form<Values>
  name: keyof Values
  label: string
  data: string[]
  first?: boolean
}

function NameField({ form, name, label, data, first }: NameFieldProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <Autocomplete
      ref={inputRef}
      label={label}
      withAsterisk
      maxLength={longest}
      data-autofocus={first || undefined}
      data={[...new Set(data)]}
      value={textOf(value)}
      onChange={change}
      onBlur={leave}
      error={error}
    />
  )
}
