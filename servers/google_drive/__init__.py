"""Google Drive. https://developers.google.com/workspace/drive/api/reference/rest/v3"""
