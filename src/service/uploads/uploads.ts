/** What other subjects may use of uploads. */
export { forgetUpload, removeSent } from './forget-upload.ts';
export { uploadsIn } from './upload-table.ts';
