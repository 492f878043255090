/** The attribution that the open postcode data requires wherever it is shown (Open Government Licence). */
export const outwardCredit =
  'Contains OS data © Crown copyright and database right, Royal Mail data © Royal Mail copyright and database right'
export const openDataCredit = `${outwardCredit}, National Statistics data © Crown copyright and database right`
