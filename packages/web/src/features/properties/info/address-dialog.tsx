import { useState } from 'react'
import { Button, Radio, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FoundAddresses, Property } from '@caretaker/contract/properties.ts'
import { findAddresses, putPropertyAddress } from '@caretaker/contract/calls/properties.ts'
import { postcodeFault } from '@caretaker/rules/postcodes/postcode.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { usePropertyEdit } from '../queries.ts'
import classes from './info.module.css'

interface AddressDialogProps {
  property: Property
  onClose: () => void
  onSaved: () => void
}

/** Looks up the addresses of a postcode for the property; if there are none, the address is typed. */
export function AddressDialog({ property, onClose, onSaved }: AddressDialogProps) {
  const { tenant } = useActor()
  const { propertyId, version } = property
  const { edit } = usePropertyEdit(property)
  const [postcode, setPostcode] = useState(property.postcode ?? '')
  const [chosen, setChosen] = useState<string>()
  const [typed, setTyped] = useState<Typed>()
  const lookup = useMutation({
    mutationFn: (code: string) => call(findAddresses, { query: { tenant, postcode: code } }),
  })
  const save = useMutation({
    mutationFn: (body: Parameters<typeof call<typeof putPropertyAddress>>[1]['body']) =>
      edit(call(putPropertyAddress, { params: { tenant, propertyId }, body })),
    onSuccess: () => {
      onSaved()
      onClose()
    },
  })
  const found = lookup.data
  const fault = postcodeFault(postcode)
  const picked = found?.addresses[Number(chosen)]
  const address = typed ? (typed.line1.trim() ? { ...typed, postcode: postcode.trim() } : undefined) : picked
  const isReady = address !== undefined && !fault
  // If the postcode is unknown or the lookup fails, the address is typed.
  const isUnknown = lookup.isError || found?.addresses.length === 0
  const type = () => {
    const { address1, address2, address3, town, county } = property
    setTyped({
      line1: address1 ?? '',
      line2: address2 ?? '',
      line3: address3 ?? '',
      town: town ?? '',
      county: county ?? '',
    })
  }
  const check = () => {
    if (fault || lookup.isPending || lookup.isSuccess) return
    setChosen(undefined)
    lookup.mutate(postcode.trim())
  }
  const submit = () => {
    if (!address || fault || save.isPending) return
    const { line1: address1, line2: address2, line3: address3, town, county } = address
    const { latitude = null, longitude = null } = found ?? {}
    save.mutate({
      address1,
      address2,
      address3,
      town,
      county,
      postcode: address.postcode,
      latitude,
      longitude,
      version,
    })
  }
  return (
    <Dialog
      title="Change address"
      wide
      onClose={onClose}
      busy={save.isPending}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isReady) submit()
          else check()
        },
      }}
      actions={
        <>
          <CancelButton disabled={save.isPending} />
          <Button type="submit" disabled={!isReady} loading={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className={classes.form}>
        <div className={classes.lookup}>
          <TextInput
            label="Postcode"
            value={postcode}
            autoComplete="off"
            data-autofocus
            error={fault}
            onChange={(event) => {
              setPostcode(event.currentTarget.value)
              setChosen(undefined)
              lookup.reset()
            }}
          />
          <Button
            type="button"
            variant="default"
            className={classes.check}
            disabled={fault !== undefined || lookup.isPending || lookup.isSuccess}
            loading={lookup.isPending}
            onClick={check}
          >
            Check
          </Button>
        </div>
        {found && !typed && <Addresses found={found} chosen={chosen} onChoose={setChosen} />}
        {typed
          ? lines.map(([name, label, most]) => (
              <TextInput
                key={name}
                label={label}
                autoComplete="off"
                maxLength={most}
                value={typed[name]}
                onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
              />
            ))
          : isUnknown && (
              <Button type="button" variant="default" className={classes.type} onClick={type}>
                Type the address
              </Button>
            )}
      </div>
      <Problems texts={lookup.isError ? ['Something went wrong!'] : save.error ? [save.error.message] : []} />
    </Dialog>
  )
}

type Typed = Omit<FoundAddresses['addresses'][number], 'postcode'>

const lines = [
  ['line1', 'Address line 1', 100],
  ['line2', 'Address line 2', 100],
  ['line3', 'Address line 3', 100],
  ['town', 'Town', 60],
  ['county', 'County', 60],
] as const satisfies readonly (readonly [keyof Typed, string, number])[]

interface AddressesProps {
  found: FoundAddresses
  chosen: string | undefined
  onChoose: (at: string) => void
}

function Addresses({ found, chosen, onChoose }: AddressesProps) {
  if (found.addresses.length === 0) return <p className={classes.quiet}>No addresses found for this postcode.</p>
  return (
    <Radio.Group label="Addresses" value={chosen ?? null} onChange={onChoose}>
      <div className={classes.addresses}>
        {found.addresses.map(({ line1, line2, line3, town, county, postcode }, at) => (
          <Radio
            // oxlint-disable-next-line react/no-array-index-key -- addresses have no other key, and their order stays
            key={at}
            value={String(at)}
            label={[line1, line2, line3, town, county, postcode].filter(Boolean).join(', ')}
          />
        ))}
      </div>
    </Radio.Group>
  )
}
